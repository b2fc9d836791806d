"""What an update does: which models the catalogue has anew, and which damage that mends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.catalogue.models import Catalogue, PublishedModel
from dragoman.errors import StoreError
from dragoman.store.store import Damage, Store, from_catalogue


@dataclass(frozen=True, slots=True)
class Kept:
    """The models of a store, as an update sees them.

    Attributes:
        models: as the catalogue has them now, by pair.
        own: pairs of those that the user imported: the catalogue's would be other models.
    """

    models: dict[str, PublishedModel]
    own: frozenset[str]

    def chosen(self, wanted: Iterable[PublishedModel]) -> list[PublishedModel]:
        """Those of some directions.

        Raises:
            StoreError: one of them is not in the store, or is the user's own.
        """
        pairs = [model.pair for model in wanted]
        for pair in pairs:
            if pair in self.own:
                raise StoreError(
                    f"{pair} was imported; an update would put another model in its place: "
                    f"dragoman models remove {pair}, then dragoman models get {pair}, does"
                )
            if pair not in self.models:
                raise StoreError(f"not in the store: {pair}; dragoman models get {pair} fetches it")
        return [self.models[pair] for pair in pairs]


def kept_models(store: Store, catalogue: Catalogue) -> Kept:
    """What an update may fetch for a store."""
    mine = [b.manifest for b in store.models if not from_catalogue(b.manifest)]
    own = frozenset(f"{manifest.source}-{manifest.target}" for manifest in mine)
    found = [
        catalogue.find(b.manifest.source, b.manifest.target)
        for b in store.models
        if from_catalogue(b.manifest)
    ]
    # A tag may have become another one since: not over a model of the user's all the same.
    return Kept({m.pair: m for m in found if m and m.pair not in own}, own)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The damage of a store.

    Attributes:
        mended: by fetching some models.
        rest: by nothing that the catalogue has, or not by these models.
    """

    mended: tuple[Damage, ...] = ()
    rest: tuple[Damage, ...] = ()

    @property
    def hashes(self) -> frozenset[str]:
        """Of the files that are to be fetched anew."""
        return frozenset(damage.sha256 for damage in self.mended)


def diagnosis(store: Store, models: Sequence[PublishedModel]) -> Diagnosis:
    """Read every file; which damage would fetching these models mend?"""
    fetched = {file.sha256 for model in models for file in model.files}
    damages = list(store.verify())
    return Diagnosis(
        tuple(damage for damage in damages if damage.sha256 in fetched),
        tuple(damage for damage in damages if damage.sha256 not in fetched),
    )


def still_there(store: Store, damages: Iterable[Damage]) -> list[Damage]:
    """Damage that an update has not mended: a file may have gone with the older model."""
    now = list(store.incomplete())
    return [
        damage for damage in damages
        if damage in now or (damage.path.is_file() and damage.path == store.path(damage.sha256))
    ]  # fmt: skip


def tidy(store: Store, catalogue: Catalogue, damages: Iterable[Damage]) -> int:
    """Delete what no model uses any more; returns its bytes.

    What the catalogue has stays, if it is whole: a fetch that was interrupted goes on with it.
    """
    named = {file.sha256 for model in catalogue.models for file in model.files}
    return store.sweep(named - {damage.sha256 for damage in damages})
