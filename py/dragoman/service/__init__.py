"""Many requests and one engine: queue, priorities, mini-batches, cache, cancelling."""
