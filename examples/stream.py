"""Text that is still being written, sentence by sentence: tail -f notes.txt | python stream.py"""

import sys

import dragoman

with dragoman.load("de", "en") as translator:
    for piece in translator.stream(sys.stdin):
        print(piece.text, flush=True)
