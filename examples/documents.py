"""Every document of a folder, with its layout, into another folder: python documents.py FROM TO"""

import sys
from pathlib import Path

import dragoman

source, target = map(Path, sys.argv[1:])
target.mkdir(parents=True, exist_ok=True)

with dragoman.load("de", "en") as translator:
    for path in sorted(source.iterdir()):
        try:
            done = translator.translate_document(path)
        except dragoman.DragomanError as error:  # of a kind that is not read, damaged, too large
            print(f"{path.name}: {error.code}")
            continue
        (target / path.name).write_bytes(done.content)
        print(f"{path.name}: {done.sentences} sentences, {done.doubtful} likely to be bad")
