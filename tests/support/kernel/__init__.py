"""What tests of the kernel share."""
