"""Folders of pages that are served to browsers, and what can be asked of a page."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT, SHARED

# Our own, as `tests/fixtures/pages/build.mjs` builds them, and real ones where the folder is there.
PAGES = ROOT / "build" / "pages"
SAVED = Path(os.environ.get("DRAGOMAN_PAGES", SHARED / "pages"))

# All nodes of a page, and what they are; kept in the page, so that identities can be compared.
SNAPSHOT = """() => {
  const nodes = [];
  const visit = (node) => {
    const attributes = [...(node.attributes ?? [])].map(({ name, value }) => `${name}=${value}`);
    nodes.push([node, `${node.nodeName} ${node.nodeValue} ${attributes}`, [...node.childNodes]]);
    node.childNodes.forEach(visit);
    if (node.shadowRoot) visit(node.shadowRoot);
    if (node.localName === "iframe" && node.contentDocument) visit(node.contentDocument);
  };
  visit(document);
  return nodes;
}"""
DIFFERENCES = f"""() => {{
  const now = ({SNAPSHOT})();
  const differences = [];
  const [had, has] = [before.length, now.length];
  if (had !== has) differences.push(`${{had}} nodes, now ${{has}}`);
  before.forEach(([node, text, children], at) => {{
    const [other, otherText, otherChildren] = now[at] ?? [];
    if (node !== other) differences.push(`${{at}}: other node: ${{text}} / ${{otherText}}`);
    else if (text !== otherText) differences.push(`${{at}}: ${{text}} / ${{otherText}}`);
    else if (children.some((child, index) => child !== otherChildren[index])) {{
      differences.push(`${{at}}: order of ${{text}}`);
    }}
  }});
  return differences.slice(0, 10);
}}"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as the class above has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
    }

    def __init__(self, *arguments: Any, policy: str | None, **options: Any) -> None:
        self._policy = policy
        super().__init__(*arguments, **options)

    def end_headers(self) -> None:
        if self._policy is not None:
            self.send_header("Content-Security-Policy", self._policy)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing: the console of the tests is for tests."""

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


def serve(folder: Path, policy: str | None = None) -> http.server.ThreadingHTTPServer:
    """A server of a folder, running; `policy` is the Content-Security-Policy of its pages."""
    handler = functools.partial(_Quiet, directory=str(folder), policy=policy)
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    return running
