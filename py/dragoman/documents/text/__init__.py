"""Documents that are text: passages at their places in it."""
