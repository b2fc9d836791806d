"""Marian's files from and into the workshop: import with PyTorch, export."""
