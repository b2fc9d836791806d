"""As much of a distillation as fits into a window of time: `dragoman model window`.

    pack --unpack--> RUN/prepared ----------------------> RUN/teacher        teacher
    texts --greedy search of RUN/teacher----------------> RUN/translations   back
    prepared, back-translations ------------------------> RUN/teacher        finish
    prepared, texts --greedy search of RUN/teacher------> RUN/translations   translate
    prepared, all translations -------------------------> RUN/student        student

Each stage has a share of a budget of minutes, which all windows spend together (`Ledger`). A window
goes on where the last one ended: with RUN itself, or on another machine with the pack, the texts
and what CARRY holds: the ledger, slim checkpoints of teacher and student, and the translations.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dragoman.errors import TrainingError
from dragoman.models.distillation.ledger import (
    LEDGER,
    Account,
    bring,
    carry,
    read_ledger,
    write_ledger,
)
from dragoman.models.distillation.settings import Stage, Window
from dragoman.models.distillation.stages import Stages
from dragoman.models.packing.pack import unpack
from dragoman.models.training.reporting import Display
from dragoman.models.training.train import BEST

FOLLOWING = dict(zip(Stage, [*list(Stage)[1:], None], strict=True))


def work(
    window: Window,
    display: Display,
    say: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> Stage | None:
    """Work until time is over; the stage that comes next, None when the student is done.

    Raises:
        CorpusError: pack or texts are missing or damaged, or are not those that RUN began with.
        TrainingError: a stage lacks what the one before makes, or what it was carried with; a
            checkpoint does not fit; the budget has no time left for `window.stage`. What the
            stages before have made is carried all the same.
    """
    begun = window.clock()

    def over() -> bool:
        return window.clock() >= begun + window.seconds or stop()

    opened = unpack(window.pack, window.run / "prepared")
    if not opened.meta["validation"]:
        raise TrainingError(f"{window.pack} has no texts to validate on: pack it with --validation")
    bring(window.run, window.carry)
    ledger = read_ledger(window.run / LEDGER, opened.sha256, "-".join(window.direction))
    ends = window.settings.ends()
    if window.stage not in (None, ledger.stage):
        if ledger.seconds >= ends[window.stage]:
            raise TrainingError(
                f"{ledger.seconds:,.0f} s are spent, and {window.stage} ends after "
                f"{ends[window.stage]:,.0f}: give a larger budget"
            )
        ledger = ledger.at(window.stage)
    account = Account(ledger, ends, window.clock, begun)
    stages = Stages(window, account, display, say, over)
    try:
        if ledger.stage is None and not (window.run / "student" / BEST).exists():
            stages.keep_student()  # who was carried here
        _work(stages, account, window.run / LEDGER, say, over)
    finally:
        _carry(window, say)
    return account.ledger.stage


def _work(
    stages: Stages,
    account: Account,
    ledger: Path,
    say: Callable[[str], None],
    over: Callable[[], bool],
) -> None:
    while (stage := account.ledger.stage) is not None:
        done = stages.run(stage)
        account.settle(FOLLOWING[stage] if done else stage)
        write_ledger(account.ledger, ledger)
        if done:
            say(f"{stage}: done, {account.ledger.seconds:,.0f} s spent")
        if not done or over():
            break


def _carry(window: Window, say: Callable[[str], None]) -> None:
    """What RUN has, also where the stage that is under way has failed."""
    if window.carry is None or not (window.run / LEDGER).exists():
        return
    files = carry(window.run, window.carry, window.limit, window.part_bytes, say)
    size = sum(file.stat().st_size for file in files)
    say(f"{window.carry}: {len(files)} files, {size / 1e6:,.1f} MB")
