"""What the site of the documentation has beside `docs/`: a hook of MkDocs, named in mkdocs.yml.

    CHANGELOG.md, CONTRIBUTING.md, PRIVACY.md, SECURITY.md    pages of their own
    reference/command.md                                      from the command itself
    reference/javascript/                                     TSDoc, by TypeDoc
    adr/*.md                                                  the navigation's list of decisions

Links that lead to sources, which a reader of the site does not have, become their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
AT_THE_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "PRIVACY.md", "SECURITY.md")
TYPEDOC = ROOT / "build" / "reference"
LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+)(#[^)]*)?\)")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


# Searching in a folder, without a server, needs a worker in a frame: ours, of no other origin.
SEARCH_WORKER = "assets/iframe-worker.js"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every decision is in the navigation, by its title."""
    decisions = [
        {titled(path): f"adr/{path.name}"} for path in sorted((ROOT / "docs" / "adr").glob("*.md"))
    ]
    _put(config.nav or [], "Decisions", decisions)
    config.extra["polyfills"] = [SEARCH_WORKER]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in `docs/`."""
    for path, text in generated():
        files.append(File.generated(config, path, content=text))
    shim = ROOT / "node_modules" / "iframe-worker" / "shim" / "index.js"
    files.append(File.generated(config, SEARCH_WORKER, content=shim.read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Links to files at the root lead to their pages, those to what is not here become text."""
    here = PurePosixPath(page.file.src_uri).parent
    if page.file.src_uri.startswith("reference/javascript"):
        return markdown

    def linked(match: re.Match[str]) -> str:
        target = _normal(here / match[2])
        if target.removeprefix("../") in AT_THE_ROOT:
            up = "../" * len(here.parts)
            return f"[{match[1]}]({up}{target.removeprefix('../').lower()}{match[3] or ''})"
        known = files.get_file_from_path(target) is not None
        return match[0] if known or not target.startswith("../") else match[1]

    return LINK.sub(linked, markdown)


def generated() -> Iterator[tuple[str, str]]:
    """Paths below the site's sources, and texts."""
    for name in AT_THE_ROOT:
        text = (ROOT / name).read_text()
        yield name.lower(), LINK.sub(_from_the_root, text)
    yield "reference/command.md", command_reference()
    if not (TYPEDOC / "index.md").exists():
        raise PluginError(f"{TYPEDOC.relative_to(ROOT)} is not there: run make docs")
    for path in sorted(TYPEDOC.rglob("*.md")):
        yield f"reference/javascript/{path.relative_to(TYPEDOC)}", path.read_text()


def titled(path: Path) -> str:
    """The first heading of a page."""
    title = TITLE.search(path.read_text())
    if not title:
        raise PluginError(f"{path.relative_to(ROOT)} has no title")
    return title[1]


def command_reference() -> str:
    """The whole of `dragoman --help`, of every command but those of `dragoman model`, which need
    PyTorch to be told of."""
    from dragoman.cli.app import app

    command = typer.main.get_command(app)
    parts = [
        "# The command\n",
        "`dragoman model` has commands of its own: `dragoman model --help`, and"
        " [Models](../models.md).\n",
    ]
    parts += _commands(command, "dragoman", 2)
    return "\n".join(parts)


def _commands(command: Any, name: str, level: int) -> Iterator[str]:
    context = command.make_context(name, [], resilient_parsing=True)
    context.terminal_width = context.max_content_width = 88
    yield f"{'#' * level} `{name}`\n\n```text\n{command.get_help(context).strip()}\n```\n"
    for child, subcommand in getattr(command, "commands", {}).items():
        if not subcommand.hidden:
            yield from _commands(subcommand, f"{name} {child}", min(level + 1, 4))


def _put(nav: list[Any], title: str, pages: list[dict[str, str]]) -> None:
    for entry in nav:
        for name, below in entry.items() if isinstance(entry, dict) else ():
            if name == title:
                entry[name] = pages
            elif isinstance(below, list):
                _put(below, title, pages)


def _from_the_root(match: re.Match[str]) -> str:
    text, target, anchor = match[1], match[2], match[3] or ""
    if target.startswith("docs/") and target.endswith(".md"):
        return f"[{text}]({target.removeprefix('docs/')}{anchor})"
    return f"[{text}]({target.lower()})" if target in AT_THE_ROOT else text


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
