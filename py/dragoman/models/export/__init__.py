"""From a trained student to a bundle with its card."""
