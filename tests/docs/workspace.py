"""What a reader of a page has at hand: a folder, a shell, a publisher of models, a server.

shell    bash, in the folder; `make` is a dry run, `dragoman serve` ends once it listens
server   `dragoman serve` with the store of the folder; the documented port becomes its own
"""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import documents
from tests.support.pages import Server
from tests.support.paths import ROOT
from tests.support.published import PublishedModel, make_model
from tests.support.publisher import Publisher, catalogue_text, publish, serving

# Of the documentation; the real ones are 20 MB each, and not on this machine.
PUBLISHED = (("de", "en"), ("en", "de"), ("en", "fr"), ("fr", "en"))
PORT = "127.0.0.1:8765"
PRELUDE = f"""
set -euo pipefail
make() {{ command make --dry-run -C '{ROOT}' "$@" >/dev/null; }}
dragoman() {{
  if [ "$1" != serve ]; then command dragoman "$@"
  else '{sys.executable}' -m tests.docs.serve_briefly "$@"; fi
}}
"""
TIMEOUT = 300
TBX = """<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic"><text><body><conceptEntry>
<langSec xml:lang="de"><termSec><term>Brief</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>letter</term></termSec></langSec>
</conceptEntry></body></text></tbx>"""


TMX = """<tmx version="1.4"><header srclang="de" datatype="plaintext" segtype="sentence"/><body>
<tu><tuv xml:lang="de-DE"><seg>Guten Morgen!</seg></tuv><tuv xml:lang="en"><seg>Hello!</seg></tuv>
</tu></body></tmx>"""


@dataclass
class Workspace:
    folder: Path
    environment: dict[str, str]
    server: Server = field(default_factory=Server)

    @property
    def address(self) -> str:
        """Of a server that knows what was fetched by now."""
        if self.server.process is None:
            self.server.start(environment=self.environment)
        return self.server.url

    def shell(self, text: str) -> subprocess.CompletedProcess[str]:
        if PORT in text:
            text = text.replace(PORT, self.address.removeprefix("http://"))
        return self._run(["bash", "-c", PRELUDE + text])

    def python(self, text: str) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-c", text])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=TIMEOUT,
        )  # fmt: skip


@contextmanager
def workspace(folder: Path) -> Iterator[Workspace]:
    with serving() as publisher:
        furnish(folder, publisher)
        made = Workspace(folder, environment(folder))
        try:
            yield made
        finally:
            made.server.stop()


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL")}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "HOME": str(folder / "home"),
        "NO_PROXY": "127.0.0.1",
        "DRAGOMAN_STORE": str(folder / "store"),
        "DRAGOMAN_CATALOGUE": str(folder / "catalogue.json"),
    }


def furnish(folder: Path, publisher: Publisher) -> None:
    """The files that the pages speak of."""
    entries = []
    for seed, pair in enumerate(PUBLISHED):
        made = make_model(seed=seed)
        entries.append(publish(publisher, pair, made))
        if pair == ("fr", "en"):
            (folder / "model.fren.intgemm.alphas.bin").write_bytes(made.model)
            (folder / "vocab.fren.spm").write_bytes(made.vocabulary)
            (folder / "lex.50.50.fren.s2t.bin").write_bytes(made.shortlist)
            (folder / "fr-en-tiny.tar.gz").write_bytes(archive(made))
    (folder / "catalogue.json").write_text(catalogue_text(entries))
    for name, content in texts().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    (folder / "build" / "web").mkdir(parents=True)
    for name in ("examples", "models", "recipes", "tests"):
        (folder / name).symlink_to(ROOT / name)


def archive(made: PublishedModel) -> bytes:
    """As translateLocally packs a model."""
    settings = b"relative-paths: true\nmodels:\n  - model.fren.intgemm.alphas.bin\n"
    settings += b"vocabs:\n  - vocab.fren.spm\n  - vocab.fren.spm\n"
    about = {"shortName": "fr-en-tiny", "src": "French", "trg": "English", "version": 1}
    members = {
        "model_info.json": json.dumps(about).encode(),
        "config.intgemm8bitalpha.yml": settings,
        "model.fren.intgemm.alphas.bin": made.model,
        "vocab.fren.spm": made.vocabulary,
        "lex.50.50.fren.s2t.bin": made.shortlist,
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(f"fr-en-tiny/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def texts() -> dict[str, bytes]:
    """Names and contents."""
    letter = b"Guten Morgen!\nIch habe ein Buch. Es ist neu.\n"
    made = {sample.name: sample.content for sample in documents.samples()}
    return {
        "letter.txt": letter, "brief.txt": letter, "lettre.txt": b"Bonjour !\n",
        "NOTES": b"# Notizen\n\nDas ist *neu*.\n",
        "artikel.csv": b"Nummer,Titel,Text\n1,Das Buch,Es ist neu.\n",
        "brief.docx": made["letter.docx"], "notes.odt": made["text.odt"],
        "notes.md": made["readme.md"], "bericht.pdf": documents.pdf_samples()[0].content,
        "vortrag.pptx": made["slides.pptx"],
        "firma.tsv": b"Rechner\tworkstation\nHabicht\n",
        "terms.tsv": b"Rechner\tworkstation\nHabicht\n",
        "projekt.tbx": TBX.encode(), "archiv.tmx": TMX.encode(),
        "texts/one.txt": letter, "news.de.gz": gzip.compress(letter),
    }  # fmt: skip
