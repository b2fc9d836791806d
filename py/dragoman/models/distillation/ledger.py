"""How far a distillation is, and what of it goes to another machine.

RUN/window.json, checkpoints, translations --carry--> CARRY: window.json, *.slim, translations.tar
CARRY --bring--> RUN, where a run has not begun yet
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Mapping
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
    """

    pack: str
    pair: str
    stage: Stage | None = Stage.TEACHER
    seconds: float = 0.0
    began: float = 0.0
    texts: Mapping[str, int] | None = None

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
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        stage = None if values["stage"] is None else Stage(values["stage"])
        ledger = Ledger(**{**values, "stage": stage})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} cannot be read: {error}") from error
    if (ledger.pack, ledger.pair) != (pack, pair):
        raise TrainingError(
            f"{path} is of a run of {ledger.pair} with "
            f"{'this' if ledger.pack == pack else 'another'} pack; take another folder"
        )
    return ledger


def write_ledger(ledger: Ledger, path: Path) -> None:
    write_durably(path, [json.dumps(asdict(ledger)).encode()])


def bring(run: Path, folder: Path | None) -> None:
    """Ledger and translations that were carried here, where a run has none of its own.

    Raises:
        CorpusError: they are damaged.
    """
    if folder is None or (run / LEDGER).exists() or not (folder / LEDGER).exists():
        return
    run.mkdir(parents=True, exist_ok=True)
    if found_parts(folder / TRANSLATIONS):
        shards = run / "translations"
        shards.mkdir(exist_ok=True)
        content = read_parts(folder / TRANSLATIONS)
        try:
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                archive.extractall(shards, filter="data")
        except tarfile.TarError as error:
            raise CorpusError(f"{folder / TRANSLATIONS} is damaged: {error}") from error
        for shard in sorted(shards.iterdir()):
            write_durably(shard, [expand(shard.read_bytes())])
    write_durably(run / LEDGER, [(folder / LEDGER).read_bytes()])


def carry(
    ledger: Ledger,
    run: Path,
    folder: Path,
    limit: int,
    part_bytes: int,
    say: Callable[[str], None],
) -> list[Path]:
    """Write what the next stage needs on another machine, and remove what it does not."""
    folder.mkdir(parents=True, exist_ok=True)
    learning = ledger.stage in (None, Stage.STUDENT)
    files: list[Path] = []
    for name, needed in ((TEACHER_SLIM, not learning), (STUDENT_SLIM, learning)):
        own = run / name.removesuffix(".slim")
        if needed and (own / CHECKPOINT).exists():
            made = slim(own / CHECKPOINT, own / LOG, folder / name, limit, part_bytes)
            say(f"{name}: {made.form}, {made.size / 1e6:,.1f} MB")
            files += made.files
        elif needed:
            files += found_parts(folder / name)
        else:
            _remove(folder / name)
    shards = sorted((run / "translations").glob("*.[0-9][0-9][0-9]"))
    if shards and ledger.stage is not None:
        files += write_parts(folder / TRANSLATIONS, _archive(shards), part_bytes)
    else:
        _remove(folder / TRANSLATIONS)
    write_ledger(ledger, folder / LEDGER)
    return [*files, folder / LEDGER]


def _remove(path: Path) -> None:
    for part in found_parts(path):
        part.unlink()


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
