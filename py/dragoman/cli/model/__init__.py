"""The command `dragoman model`."""
