"""Where LibreTranslate's clients ask."""

from __future__ import annotations

TRANSLATE, DETECT, LANGUAGES = "/translate", "/detect", "/languages"
SETTINGS, HEALTH, SPEC, SUGGEST = "/frontend/settings", "/health", "/spec", "/suggest"
TRANSLATE_FILE, DOWNLOAD = "/translate_file", "/download_file/"

# What a worker process answers.
WITH_A_MODEL = frozenset({TRANSLATE, DETECT})
_ALL = frozenset({TRANSLATE, DETECT, LANGUAGES, SETTINGS, HEALTH, SPEC, SUGGEST, TRANSLATE_FILE})


def is_libre(path: str) -> bool:
    """Whether a path is one of theirs."""
    return path in _ALL or path.startswith(DOWNLOAD)
