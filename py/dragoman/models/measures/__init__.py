"""How good a model is: scores, links, robustness."""
