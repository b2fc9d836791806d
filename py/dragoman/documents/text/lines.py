"""Text in lines of a given width."""

from __future__ import annotations

from collections.abc import Callable


def balanced(text: str, width: int, count: int, length: Callable[[str], int] = len) -> list[str]:
    """Lines of about the same length: `count` of them, or more where these would be too long.

    Args:
        length: of a text as it is seen: without its tags, for instance.
    """
    width, whole = max(width, 1), length(text)
    # Each break takes the place of a space: as if each line had one more, and the text too.
    lines = max(count, -(-(whole + 1) // (width + 1)))
    while lines < len(text):
        # Where the words do not fall well, a little wider, up to the width.
        for wider in range(min(-(-whole // lines), width), width + 1):
            rows = wrapped(text, wider, length)
            if len(rows) <= lines:
                return rows
        lines += 1
    return wrapped(text, width, length)


def wrapped(text: str, width: int, length: Callable[[str], int] = len) -> list[str]:
    """Lines no longer than `width`, but for words that are."""
    lines: list[str] = []
    for word in text.split(" "):
        alone = not length(word)  # a tag
        if lines and (alone or length(lines[-1]) + 1 + length(word) <= width):
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines or [""]
