"""From parallel text to prepared pairs on disk, and batches of them."""
