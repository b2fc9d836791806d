"""The model workshop: from parallel text to a bundle (PyTorch lives here and nowhere else)."""
