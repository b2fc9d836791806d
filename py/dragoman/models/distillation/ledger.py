"""How far a distillation is, and what of it goes to another machine.

RUN/window.json, checkpoints, translations --carry--> CARRY: window.json, *.slim, translations.tar
CARRY --bring--> RUN, where a run has not begun yet
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.distillation.settings import Stage
from dragoman.models.packing.parts import found_parts, read_parts, write_parts
from dragoman.models.packing.streams import PIECES, expand, squeeze
from dragoman.models.training.slim import slim
from dragoman.models.training.train import CHECKPOINT, LOG
from dragoman.native.files import write_durably

LEDGER = "window.json"
TEACHER_SLIM, STUDENT_SLIM, TRANSLATIONS = "teacher.slim", "student.slim", "translations.tar"


@dataclass(frozen=True)
class Ledger:
    """Where a distillation stands.

    Attributes:
        pack: its checksum.
        pair: the student's direction.
        stage: that is under way; None: the student is done.
        seconds: that all windows have spent.
        began: `seconds` when the stage began.
        texts: by language, the checksum of the texts to be translated; None: not read yet.
        shards: of translations that were carried along.
    """

    pack: str
    pair: str
    stage: Stage | None = Stage.TEACHER
    seconds: float = 0.0
    began: float = 0.0
    texts: Mapping[str, int] | None = None
    shards: int = 0

    @property
    def is_under_way(self) -> bool:
        """Whether an earlier window has worked at the stage: it has left something."""
        return self.stage is None or self.seconds > self.began

    def at(self, stage: Stage | None) -> Ledger:
        """The same when a stage begins."""
        return replace(self, stage=stage, began=self.seconds)


class Account:
    """What a window spends of the budget.

    Args:
        ends: of each stage, the seconds of all windows at which it ends.
        clock: seconds; `begun` is when this window began.

    Attributes:
        ledger: where the run stands; its seconds are those until `begun`, which goes with it.
    """

    def __init__(
        self,
        ledger: Ledger,
        ends: Mapping[Stage, float],
        clock: Callable[[], float],
        begun: float,
    ) -> None:
        self.ledger, self.ends, self.clock, self.begun = ledger, ends, clock, begun

    def share(self) -> float:
        """Of the stage's time, what is spent, in [0, 1]; 1 where it has none."""
        stage, began = self.ledger.stage, self.ledger.began
        end = began if stage is None else self.ends[stage]
        spent = self.ledger.seconds + self.clock() - self.begun
        return min(1.0, (spent - began) / (end - began)) if end > began else 1.0

    def settle(self, stage: Stage | None) -> None:
        """Write what is spent into the ledger, and the stage that comes now."""
        now = self.clock()
        spent = replace(self.ledger, seconds=self.ledger.seconds + now - self.begun)
        self.ledger = spent if stage is self.ledger.stage else spent.at(stage)
        self.begun = now


def read_ledger(path: Path, pack: str, pair: str) -> Ledger:
    """The ledger of a run; a new one where there is none.

    Raises:
        TrainingError: it is damaged, or of another pack or pair.
    """
    if not path.exists():
        return Ledger(pack, pair)
    ledger = _read(path)
    if (ledger.pack, ledger.pair) != (pack, pair):
        raise TrainingError(
            f"{path} is of a run of {ledger.pair} with "
            f"{'this' if ledger.pack == pack else 'another'} pack; take another folder"
        )
    return ledger


def _read(path: Path) -> Ledger:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        stage = None if values["stage"] is None else Stage(values["stage"])
        return Ledger(**{**values, "stage": stage})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} cannot be read: {error}") from error


def write_ledger(ledger: Ledger, path: Path) -> None:
    write_durably(path, [json.dumps(asdict(ledger)).encode()])


def bring(run: Path, folder: Path | None) -> None:
    """Ledger and translations that were carried here, where a run has none of its own.

    Raises:
        CorpusError: they are damaged, or the translations are not there.
        TrainingError: a ledger cannot be read, or a run of its own is another one or is behind:
            what was carried would be written over in the end.
    """
    if folder is None or not (folder / LEDGER).exists():
        return
    carried = _read(folder / LEDGER)
    if (run / LEDGER).exists():
        _check_not_behind(run, _read(run / LEDGER), folder, carried)
        return
    run.mkdir(parents=True, exist_ok=True)
    if carried.shards:
        shards = run / "translations"
        shards.mkdir(exist_ok=True)
        content = read_parts(folder / TRANSLATIONS)
        try:
            for name, packed in _unarchived(content):
                write_durably(shards / name, [expand(packed)])
        except tarfile.TarError as error:
            raise CorpusError(f"{folder / TRANSLATIONS} is damaged: {error}") from error
    write_durably(run / LEDGER, [(folder / LEDGER).read_bytes()])


def _check_not_behind(run: Path, own: Ledger, folder: Path, carried: Ledger) -> None:
    if (own.pack, own.pair) != (carried.pack, carried.pair):
        raise TrainingError(
            f"{folder} is of a run of {carried.pair} with another pack or pair than {run}: give "
            "another folder to carry"
        )
    if carried.seconds > own.seconds:
        raise TrainingError(
            f"{run} has spent {own.seconds:,.0f} s and {folder} {carried.seconds:,.0f}: it went on "
            "elsewhere; take a new folder for the run, to go on with what was carried"
        )


def carry(
    run: Path,
    folder: Path,
    limit: int,
    part_bytes: int,
    say: Callable[[str], None],
) -> list[Path]:
    """Write what the next stage of a run needs on another machine, and then remove what it does
    not.

    Raises:
        TrainingError: the run has no ledger that can be read.
    """
    ledger = _read(run / LEDGER)
    folder.mkdir(parents=True, exist_ok=True)
    network = STUDENT_SLIM if ledger.stage in (None, Stage.STUDENT) else TEACHER_SLIM
    own = run / network.removesuffix(".slim")
    if (own / CHECKPOINT).exists():
        made = slim(own / CHECKPOINT, own / LOG, folder / network, limit, part_bytes)
        say(f"{network}: {made.form}, {made.size / 1e6:,.1f} MB")
        files = list(made.files)
    else:
        files = found_parts(folder / network)
    shards = _shards(ledger, run / "translations")
    if shards:
        files += write_parts(folder / TRANSLATIONS, _archive(shards), part_bytes)
    write_ledger(replace(ledger, shards=len(shards)), folder / LEDGER)
    files.append(folder / LEDGER)
    for name in (TEACHER_SLIM, STUDENT_SLIM, TRANSLATIONS):
        for part in found_parts(folder / name):
            if part not in files:
                part.unlink()
    return files


def _shards(ledger: Ledger, folder: Path) -> list[Path]:
    """Of the translations, those that a stage to come reads."""
    if ledger.stage is None or not folder.is_dir():
        return []
    shards = sorted(path for path in folder.iterdir() if path.suffix[1:].isdecimal())
    if ledger.stage not in (Stage.TRANSLATE, Stage.STUDENT):
        return shards
    # The student has no use for what teaches the other direction.
    others = f"back.{ledger.pair.partition('-')[0]}"
    return [path for path in shards if path.stem != others]


def _unarchived(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of each shard of `_archive`, still compressed; no name leads elsewhere."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for fact in archive:
            file = archive.extractfile(fact)
            if file is not None:
                yield Path(fact.name).name, file.read()


def _archive(shards: list[Path]) -> bytes:
    """Shards, each compressed; lzma leaves the interpreter to others."""
    with ThreadPoolExecutor() as threads:
        packed = list(threads.map(lambda shard: squeeze(shard.read_bytes(), PIECES), shards))
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for shard, content in zip(shards, packed, strict=True):
            fact = tarfile.TarInfo(shard.name)
            fact.size = len(content)
            archive.addfile(fact, io.BytesIO(content))
    return stream.getvalue()
