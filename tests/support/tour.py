"""A tour in pictures: numbered, with what each shows, and a page that has them all."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path

TOUR = os.environ.get("DRAGOMAN_TOUR")
_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dragoman: a tour</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: auto; padding: 1rem }
img { max-width: 100%; border: 1px solid #8888 }
figure { margin: 2rem 0 }
</style>
<h1>Dragoman: a tour</h1>
"""


@dataclass
class Tour:
    """The pictures of one part, whose names begin with it.

    Attributes:
        part: "demo-de", for instance.
    """

    folder: Path
    part: str
    count: int = 0

    def keep(self, picture: bytes, caption: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count += 1
        place = self.folder / f"{self.part}-{self.count:02}.png"
        place.write_bytes(picture)
        place.with_suffix(".txt").write_text(caption, encoding="utf-8")
        self._write_page()

    def _write_page(self) -> None:
        """Of all parts that there are."""
        parts = [_HEAD]
        for place in sorted(self.folder.glob("*.png")):
            caption = html.escape(place.with_suffix(".txt").read_text(encoding="utf-8"))
            parts.append(
                f"<figure><figcaption>{place.stem}: {caption}</figcaption>"
                f'<img src="{place.name}" alt="{caption}" loading="lazy"></figure>\n'
            )
        (self.folder / "index.html").write_text("".join(parts), encoding="utf-8")
