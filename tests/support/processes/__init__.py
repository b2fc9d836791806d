"""What tests start as a process of its own, or would."""
