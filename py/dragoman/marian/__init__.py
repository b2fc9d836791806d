"""Marian's files, as the published models are made of: read without PyTorch."""
