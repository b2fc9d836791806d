"""Tests of `dragoman.detection`."""
