"""Tests of `dragoman.server.libretranslate`."""
