"""Settings of other programs: YAML without what could do harm."""

from __future__ import annotations

from typing import Any

import yaml


class _NoAliases(yaml.BaseLoader):  # type: ignore[misc]  # PyYAML has no types
    """A few lines of aliases stand for gigabytes, and no settings need them. All values are
    strings: nothing is guessed from how they look."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it has aliases")
        return super().compose_node(parent, index)


def plain_yaml(text: str) -> object:
    """YAML of strings, lists and mappings.

    Raises:
        yaml.YAMLError: it is none, or has aliases.
        RecursionError, ValueError: it is none in another way.
    """
    return yaml.load(text, Loader=_NoAliases)  # noqa: S506
