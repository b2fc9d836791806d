"""Several worker processes behind one front: `workers`, `worker`, and what crosses their pipes."""
