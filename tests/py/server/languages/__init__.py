"""Tests of `dragoman.server.languages`."""
