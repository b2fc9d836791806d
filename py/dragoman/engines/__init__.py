"""Engines: each runs the same model file for one host. `fake` is for tests."""
