"""Words of a sentence of which more is known than a model knows: terms, names, rare words."""
