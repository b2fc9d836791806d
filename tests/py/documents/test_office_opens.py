"""LibreOffice opens what was translated as what it was: as many pages, the same styles.

Slow, and only where LibreOffice is: `apt-get install libreoffice-writer libreoffice-impress`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dragoman.native.translator import Translator
from tests.support.documents import Sample, capital_parts, samples

OFFICE = shutil.which("soffice")
# Each of its parts is installed by itself: Writer, Impress.
PARTS = {"docx": "libswlo.so", "odt": "libswlo.so", "pptx": "libsdlo.so", "odp": "libsdlo.so"}
SAMPLES = [sample for sample in samples() if sample.ending in PARTS]
OPENED = [
    sample
    for sample in SAMPLES
    if OFFICE and Path(OFFICE).resolve().with_name(PARTS[sample.ending]).exists()
]
SECONDS = 300

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, bytes]]:
    """Each document as PDF, before and after."""
    folder = tmp_path_factory.mktemp("office")
    with Translator(capital_parts()) as translator:
        for sample in OPENED:
            (folder / f"before-{sample.name}").write_bytes(sample.content)
            done = translator.translate_document(sample.content, name=sample.name)
            (folder / f"after-{sample.name}").write_bytes(done.content)
    _convert(folder)
    return {
        sample.name: (_pdf(folder, "before", sample), _pdf(folder, "after", sample))
        for sample in OPENED
    }


def _convert(folder: Path) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [OFFICE or "", profile, "--headless", "--convert-to", "pdf", "--outdir"]
    # Files of one name and two endings would be one PDF.
    for ending in sorted({sample.ending for sample in OPENED}):
        files = [str(path) for path in sorted(folder.glob(f"*.{ending}"))]
        out = str(folder / ending)
        subprocess.run([*command, out, *files], check=True, timeout=SECONDS, capture_output=True)


def _pdf(folder: Path, when: str, sample: Sample) -> bytes:
    return (folder / sample.ending / f"{when}-{Path(sample.name).stem}.pdf").read_bytes()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_there_are_as_many_pages_of_the_same_fonts(
    sample: Sample, pages: dict[str, tuple[bytes, bytes]]
) -> None:
    if sample not in OPENED:
        pytest.skip(f"LibreOffice is not installed, or without {PARTS[sample.ending]}")
    before, after = pages[sample.name]
    count = len(re.findall(rb"/Type\s*/Page\b", before))
    assert count >= 1
    assert len(re.findall(rb"/Type\s*/Page\b", after)) == count
    fonts = re.compile(rb"/FontName\s*/[A-Z]{6}\+([\w-]+)")
    assert set(fonts.findall(after)) == set(fonts.findall(before))
