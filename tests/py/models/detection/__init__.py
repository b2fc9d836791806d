"""Tests of `dragoman.models.detection`."""
