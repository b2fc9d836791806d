"""Inline elements of a text: what they are, how their text is read, how they cross a pivot."""
