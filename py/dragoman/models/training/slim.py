"""A checkpoint small enough to carry: `dragoman model slim`.

It has the parameters in few bits, the place in the data and the log; what it leaves out is the
optimizer, which starts anew with a short warm-up (`Trainer`), and the best model so far, which the
next validation writes. Of these forms it takes the first that fits the limit:

    both         parameters and their average, float16      4 bytes a parameter
    average      the average, float16                       2
    average-int8 the average, int8 a row                    1
    average-int7 the average, 7 bits a row                  7/8

With the average alone, the parameters are it: what a run loses is the noise of its last updates.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.network.checkpoint import UNREADABLE, load_state, why_unreadable
from dragoman.models.packing.parts import DIGEST, found_parts, megabytes, read_parts, write_parts
from dragoman.models.training.reporting import read_log

FORMAT = "dragoman-slim 1"
ZLIB = b"\x78"  # what zlib begins with; PyTorch's files begin with PK
FORMS = {"both": 0, "average": 0, "average-int8": 127, "average-int7": 63}
CARRIED = (
    "sizes", "progress", "window", "settings", "data", "random", "restarted", "hardware",
)  # fmt: skip


@dataclass(frozen=True)
class Slimmed:
    """What was written: the form, files, and their size in bytes."""

    form: str
    files: tuple[Path, ...]
    size: int
    step: int


def slim(checkpoint: Path, log: Path, output: Path, limit: int, part_bytes: int = 0) -> Slimmed:
    """Write what a run needs to go on elsewhere.

    Args:
        limit: bytes at most.

    Raises:
        TrainingError: there is no checkpoint, or no form of it fits the limit.
    """
    state = load_state(checkpoint)
    rows = read_log(log) if log.exists() else []
    size = 0
    for form in FORMS:
        try:
            content = _content(state, rows, form)
        except UNREADABLE as error:
            raise TrainingError(f"{checkpoint} is not a checkpoint of a run: {error}") from error
        size = len(content) + DIGEST
        if size <= limit:
            files = write_parts(output, content, part_bytes)
            return Slimmed(form, tuple(files), size, int(state["progress"]["step"]))
    raise TrainingError(
        f"{checkpoint}: its smallest form takes {megabytes(size)}, the limit is {megabytes(limit)}"
    )


def _content(state: Mapping[str, Any], rows: list[dict[str, Any]], form: str) -> bytes:
    names = list(state["model"])
    average = dict(zip(names, state["average"], strict=True))
    levels = FORMS[form]
    kept: dict[str, Any] = {name: state[name] for name in CARRIED if name in state}
    kept |= {"format": FORMAT, "form": form, "log": rows}
    if levels:
        kept["average"] = {name: quantized(value, levels) for name, value in average.items()}
    else:
        kept["average"] = {name: value.half() for name, value in average.items()}
    if form == "both":
        kept["model"] = {name: value.half() for name, value in state["model"].items()}
    stream = io.BytesIO()
    torch.save(kept, stream)
    if not levels:
        return stream.getvalue()
    # Most whole numbers of a row are small: codes by frequency, no search for what repeats.
    packer = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(stream.getvalue()) + packer.flush()


def quantized(value: Tensor, levels: int) -> dict[str, Tensor]:
    """Whole numbers from -levels to levels, and a scale a row."""
    rows = value.float().reshape(value.shape[0], -1) if value.dim() > 1 else value.float()[None]
    scale = (rows.abs().amax(dim=1, keepdim=True) / levels).clamp(min=1e-12)
    return {"whole": (rows / scale).round().to(torch.int8), "scale": scale}


def restored(value: Tensor | Mapping[str, Tensor], shape: torch.Size) -> Tensor:
    """A parameter in float32."""
    if isinstance(value, Tensor):
        return value.float().reshape(shape)
    return (value["whole"].float() * value["scale"]).reshape(shape)


def check_not_further(path: Path, folder: Path, step: int) -> None:
    """That a run in a folder, which goes on with its own checkpoint, is not behind a slim one.

    Raises:
        TrainingError: it is, or the file is damaged; one that is not there any more has been taken.
    """
    if found_parts(path) and (there := int(load_slim(path)["progress"]["step"])) > step:
        raise TrainingError(
            f"{folder} holds a run at step {step:,}, and {path} is at step {there:,}: take an "
            "empty folder to go on with that one"
        )


def load_slim(path: Path) -> dict[str, Any]:
    """What `slim` wrote.

    Raises:
        TrainingError: it is missing, damaged, or no such file.
    """
    try:
        content = read_parts(path)
        if content.startswith(ZLIB):
            content = zlib.decompress(content)
        state = torch.load(io.BytesIO(content), weights_only=True, map_location="cpu")
    except CorpusError as error:
        raise TrainingError(f"{path} cannot be read: {error.message}") from error
    except (zlib.error, *UNREADABLE) as error:
        raise TrainingError(f"{path} cannot be read: {why_unreadable(error)}") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise TrainingError(f"{path} is no slim checkpoint of this program")
    return state
