"""Making the table of `dragoman.detection`."""
