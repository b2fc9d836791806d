"""Statistical word alignment of pieces, for guided attention (Chen et al. 2016) and shortlists.

The aligner is eflomal (Östling and Tiedemann 2016): a Bayesian IBM/HMM model with fertility. Both
directions are run and symmetrized by grow-diag-final-and (Koehn et al. 2003). It samples, and takes
its seed from the system: two runs differ in a few sentences in a hundred. All else that `prepare`
writes is the same each time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from dragoman.errors import WorkshopError

Link = tuple[int, int]
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def _read_links(path: Path) -> list[frozenset[Link]]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [frozenset(_parse(link) for link in line.split()) for line in lines]


def _parse(link: str) -> Link:
    source, _, target = link.partition("-")
    return int(source), int(target)


def load_eflomal() -> ModuleType:
    """The aligner's package.

    Raises:
        WorkshopError: it is not installed.
    """
    try:
        return import_module("eflomal")
    except ImportError as error:
        raise WorkshopError(
            f"word alignment needs eflomal ({error}): pip install 'dragoman[models]'"
        ) from error


def align(
    first: Iterable[Sequence[int]], second: Iterable[Sequence[int]]
) -> list[tuple[Link, ...]]:
    """Sorted links (index in first, index in second) of each sentence pair.

    Raises:
        WorkshopError: eflomal is not installed.
    """
    eflomal = load_eflomal()
    with tempfile.TemporaryDirectory() as folder:
        forward, backward = Path(folder, "forward"), Path(folder, "backward")
        eflomal.Aligner(model=3, n_iterations=None).align(
            (" ".join(map(str, ids)) for ids in first),
            (" ".join(map(str, ids)) for ids in second),
            links_filename_fwd=str(forward),
            links_filename_rev=str(backward),
        )
        pairs = zip(_read_links(forward), _read_links(backward), strict=True)
        return [tuple(sorted(grow_diag_final_and(fwd, rev))) for fwd, rev in pairs]


def grow_diag_final_and(forward: frozenset[Link], backward: frozenset[Link]) -> set[Link]:
    """Symmetrize: the intersection, grown by neighbouring links of the union."""
    union = forward | backward
    links = set(forward & backward)
    firsts = {first for first, _ in links}
    seconds = {second for _, second in links}

    def add(link: Link) -> None:
        links.add(link)
        firsts.add(link[0])
        seconds.add(link[1])

    queue = sorted(links)
    while queue:
        first, second = queue.pop()
        for step_first, step_second in NEIGHBOURS:
            link = (first + step_first, second + step_second)
            if link in links or link not in union:
                continue
            if link[0] not in firsts or link[1] not in seconds:
                add(link)
                queue.append(link)
    for link in (*sorted(forward), *sorted(backward)):
        if link[0] not in firsts and link[1] not in seconds:
            add(link)
    return links
