"""The native host: bundles on a disk, and a translator that blocks."""
