"""`python -m dragoman`: the command, where its script is not on the path."""

from dragoman.cli.app import main

main()
