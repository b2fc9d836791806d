"""Stage 1, markup: what a client sent becomes text that every later stage can take.

Plain text for now. Invariant: ``text`` has exactly the code points of ``original``, one for one, so
a span of one is a span of the other; "" stays "".
"""

from __future__ import annotations

import re

from dragoman.types import AnnotatedText

# Lone surrogates have no UTF-8; controls that are not white space mean nothing to a model.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def annotate(original: str) -> AnnotatedText:
    """Plain text, with lone surrogates as U+FFFD and control characters as spaces."""
    text = _LONE_SURROGATE.sub("\ufffd", original)
    return AnnotatedText(original, _CONTROL.sub(" ", text))
