"""The published models: which there are, how large, under what licence, and where they are."""
