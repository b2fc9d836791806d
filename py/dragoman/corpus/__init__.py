"""Whole files and folders, on all cores, resumable."""
