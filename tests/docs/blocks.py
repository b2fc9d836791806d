"""The code blocks of the documentation, as a reader finds them.

A block that is not run has a comment before it that says why, which no reader sees:

    <!-- not run: trains for hours -->
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.support.paths import ROOT

PAGES = (
    *sorted(ROOT.glob("*.md")),
    # A decision tells what was run when it was taken.
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "adr" not in page.parts),
    ROOT / "examples" / "README.md",
    ROOT / "extension" / "README.md",
)
RUN = {"python", "sh", "js"}
# What is no program: drawings, settings, what crosses a wire.
SHOWN = {"", "html", "jsonc", "text", "toml", "yaml"}
MARK = re.compile(r"<!-- not run: (\S.*) -->\n*\Z")


@dataclass(frozen=True)
class Block:
    """Attributes:
    line: where its text begins, from 1.
    reason: why it is not run; None: it is.
    """

    page: Path
    line: int
    language: str
    text: str
    reason: str | None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """In the order of the page."""
    tokens = MarkdownIt().parse(page.read_text())
    found = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "fence" and token.map:
            mark = MARK.match(before.content) if before and before.type == "html_block" else None
            language = token.info.strip()
            reason = mark[1] if mark else None
            found.append(Block(page, token.map[0] + 2, language, token.content, reason))
    return found


BLOCKS = tuple(block for page in PAGES for block in blocks_of(page))
