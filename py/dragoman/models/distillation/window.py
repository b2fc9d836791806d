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
        TrainingError: a stage lacks what the one before makes, or a checkpoint does not fit.
    """
    begun = window.clock()

    def over() -> bool:
        return window.clock() >= begun + window.seconds or stop()

    opened = unpack(window.pack, window.run / "prepared")
    if not opened.meta["validation"]:
        raise TrainingError(f"{window.pack} has no texts to validate on: pack it with --validation")
    bring(window.run, window.carry)
    ledger = read_ledger(window.run / LEDGER, opened.sha256, "-".join(window.direction))
    if window.stage is not None:
        ledger = ledger.at(window.stage)
    account = Account(ledger, window.settings.ends(), window.clock, begun)
    stages = Stages(window, account, display, say, over)
    if ledger.stage is None and not (window.run / "student" / BEST).exists():
        stages.keep_student()  # who was carried here
    while (stage := account.ledger.stage) is not None:
        done = stages.run(stage)
        account.settle(FOLLOWING[stage] if done else stage)
        write_ledger(account.ledger, window.run / LEDGER)
        if not done:
            break
        say(f"{stage}: done, {account.ledger.seconds:,.0f} s spent")
    if window.carry is not None:
        ledger, parts = account.ledger, window.part_bytes
        files = carry(ledger, window.run, window.carry, window.limit, parts, say)
        size = sum(file.stat().st_size for file in files)
        say(f"{window.carry}: {len(files)} files, {size / 1e6:,.1f} MB")
    return account.ledger.stage
