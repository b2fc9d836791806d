"""What to type where a model is missing."""

from __future__ import annotations

from dragoman.catalogue.models import Catalogue, shipped, total_download
from dragoman.errors import LanguagePairError
from dragoman.native.installed import PACKAGED, package_of


def how_to_get(source: str, target: str, catalogue: Catalogue | None = None) -> str:
    """ "pip install dragoman-model-de-en installs one; dragoman models get de-en fetches ..."

    Args:
        catalogue: of published models; the program's, if none is given.

    Returns:
        "" where no model that is known translates the pair.
    """
    ways = (_package(source, target), _fetch(source, target, catalogue or shipped()))
    return "; ".join(way for way in ways if way)


def _package(source: str, target: str) -> str:
    pair = "-".join(tag.partition("-")[0].lower() for tag in (source, target))  # de-AT: de
    return f"pip install {package_of(pair)} installs one" if pair in PACKAGED else ""


def _fetch(source: str, target: str, catalogue: Catalogue) -> str:
    try:
        legs = catalogue.plan(source, target)
    except LanguagePairError:
        return ""
    over = "" if len(legs) == 1 else f" (over English: {', '.join(leg.pair for leg in legs)})"
    megabytes = total_download(legs) / 1e6
    pair = f"{legs[0].source}-{legs[-1].target}"
    return f"dragoman models get {pair} fetches it{over}: {megabytes:,.1f} MB"


def advised(error: LanguagePairError, catalogue: Catalogue | None = None) -> LanguagePairError:
    """The same error, which says how to get the model where that is known."""
    advice = how_to_get(error.source, error.target, catalogue)
    return LanguagePairError(error.source, error.target, error.available, advice)
