"""Marian's files: read and written."""
