"""The routes about the languages of texts."""
