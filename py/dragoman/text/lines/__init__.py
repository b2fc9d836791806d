"""Lines of a text: what is divided between two, and where many are parted."""
