"""The event loop: how long it was held, and by what it must not be."""
