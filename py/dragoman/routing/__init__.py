"""Several models, and requests that depend on each other: pivots, graphs, streams."""
