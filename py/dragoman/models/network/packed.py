"""Losses over packed rows (`data.rows`), where sentences share a row and see nothing of each other.

    int16 [6, R, L] --unpacked--> Rows --Packed.loss--> sum of the cross-entropy of all pieces

Attention has a mask a row, block by block; a recurrence begins anew with each sentence; places
count within the sentence. The loss is that of the same sentences in padded batches. On an
accelerator each kind of layer is compiled once (`torch.compile` of one region): all batches have
one shape.

Shape letters: R rows, L places of a side, D model dimension, V pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.errors import TrainingError
from dragoman.models.network.decoders import SsruDecoder, SsruLayer
from dragoman.models.network.encoders import TransformerEncoder, TransformerLayer
from dragoman.models.network.layers import MASKED, positions
from dragoman.models.network.scan import scan
from dragoman.models.network.student import Student
from dragoman.models.network.teacher import DecoderLayer, EncoderLayer, Teacher, normalized

IGNORED = -100  # as a label: no piece
SMOOTHING = 0.1


class Rows(NamedTuple):
    """A packed batch as a network takes it.

    Attributes:
        source, source_place: int64 [R, L].
        source_mask: additive [R, 1, L, L]: each sentence sees itself.
        previous, place: int64 [R, L], the piece before each target piece, and its place.
        target_mask: additive [R, 1, L, L]: each piece sees those of its sentence up to itself.
        mask: additive [R, 1, L, L], of target places by source places.
        labels: int64 [R, L], `IGNORED` where no piece is.
    """

    source: Tensor
    source_place: Tensor
    source_mask: Tensor
    previous: Tensor
    place: Tensor
    target_mask: Tensor
    mask: Tensor
    labels: Tensor


def unpacked(batch: Tensor, dtype: torch.dtype) -> Rows:
    """A batch of `data.rows`, int16 [6, R, L], with masks of a type."""
    source, source_place, source_number, target, place, number = batch.long()
    length = source.shape[1]

    def additive(seen: Tensor) -> Tensor:
        mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
        return mask.masked_fill(~seen, MASKED)[:, None]

    # What is left over has number 0, and sees what is left over: a softmax of nothing is none.
    same = number[:, :, None] == number[:, None, :]
    before = torch.ones(length, length, dtype=torch.bool, device=batch.device).tril()
    return Rows(
        source,
        source_place,
        additive(source_number[:, :, None] == source_number[:, None, :]),
        torch.roll(target, 1, 1),
        place,
        additive(same & before),
        additive(number[:, :, None] == source_number[:, None, :]),
        torch.where(number > 0, target, IGNORED),
    )


def smoothed(output: Tensor, table: Tensor, bias: Tensor | None, labels: Tensor) -> Tensor:
    """Cross-entropy with label smoothing, summed: output [R, L, D], table [V, D], bias [V]."""
    scores = functional.linear(output, table.to(output.dtype)).float()
    if bias is not None:
        scores = scores + bias
    return functional.cross_entropy(
        scores.flatten(0, 1),
        labels.flatten(),
        ignore_index=IGNORED,
        label_smoothing=SMOOTHING,
        reduction="sum",
    )


M_co = TypeVar("M_co", bound=nn.Module, covariant=True)


class Packed(Protocol[M_co]):
    """A network that learns from packed rows."""

    @property
    def model(self) -> M_co: ...

    @property
    def compute_type(self) -> torch.dtype: ...

    def loss(self, rows: Rows) -> Tensor:
        """Summed over the pieces."""
        ...


def _regional(function: Callable[..., Any], compiled: bool) -> Callable[..., Any]:
    """A function that is compiled for one shape, whatever layer it is given."""
    return torch.compile(function, dynamic=False) if compiled else function


N = TypeVar("N", Student, Teacher)


class _Regions(Generic[N]):
    """A network, the table of its places, and its functions a kind of layer, compiled or not."""

    def __init__(
        self,
        model: N,
        places: int,
        compiled: bool,
        encode: Callable[..., Tensor],
        decode: Callable[..., Tensor],
    ) -> None:
        self.model: N = model
        self.compute_type = model.compute_type
        self.places = positions(0, places, model.sizes.dimension, model.embedding.device)
        self._encode, self._decode = _regional(encode, compiled), _regional(decode, compiled)
        self._smoothed = _regional(smoothed, compiled)


class PackedStudent(_Regions[Student]):
    """A tiny student over packed rows.

    Raises:
        TrainingError: its encoder or decoder is of another kind.
    """

    def __init__(self, model: Student, places: int, compiled: bool = False) -> None:
        if not isinstance(model.encoder, TransformerEncoder) or not isinstance(
            model.decoder, SsruDecoder
        ):
            raise TrainingError(
                "only a Transformer encoder with an SSRU decoder learns from packed rows, not "
                f"{model.sizes.encoder} and {model.sizes.decoder}"
            )
        super().__init__(model, places, compiled, _student_encodes, _student_decodes)

    def loss(self, rows: Rows) -> Tensor:
        model = self.model
        memory = (model.rows(rows.source) + self.places[rows.source_place]).to(self.compute_type)
        for layer in model.encoder:
            memory = self._encode(layer, memory, rows.source_mask)
        first = (rows.place == 0)[..., None]
        x = model.rows(rows.previous).masked_fill(first, 0) + self.places[rows.place]
        x = x.to(self.compute_type)
        for layer in model.decoder:
            x = self._decode(layer, x, memory, rows.mask, first)
        loss: Tensor = self._smoothed(x, model.embedding, model.output_bias, rows.labels)
        return loss


def _student_encodes(layer: TransformerLayer, x: Tensor, mask: Tensor) -> Tensor:
    return cast(Tensor, layer(x, mask))


def _student_decodes(
    layer: SsruLayer, x: Tensor, memory: Tensor, mask: Tensor, first: Tensor
) -> Tensor:
    """As `SsruLayer.forward`, with a state that begins anew where `first` [R, L, 1] is True."""
    unit = layer.recurrence
    forget = torch.sigmoid(unit.forget(x)).float()
    added = (1 - forget) * unit.candidate(x).float()
    states = scan(forget.masked_fill(first, 0), added)
    x = unit.norm(functional.relu(states).to(x.dtype), x)
    x, _ = layer.attention(x, memory, mask)
    return cast(Tensor, layer.feed_forward(x))


class PackedTeacher(_Regions[Teacher]):
    """A teacher over packed rows."""

    def __init__(self, model: Teacher, places: int, compiled: bool = False) -> None:
        super().__init__(model, places, compiled, _teacher_encodes, _teacher_decodes)

    def loss(self, rows: Rows) -> Tensor:
        model = self.model
        memory = model.dropped(
            (model.rows(rows.source) + self.places[rows.source_place]).to(self.compute_type)
        )
        for layer in model.encoder:
            memory = self._encode(layer, memory, rows.source_mask)
        memory = normalized(memory, model.encoded)
        first = (rows.place == 0)[..., None]
        x = model.rows(rows.previous).masked_fill(first, 0) + self.places[rows.place]
        x = model.dropped(x.to(self.compute_type))
        for layer in model.decoder:
            x = self._decode(layer, x, memory, rows.target_mask, rows.mask)
        output = normalized(x, model.decoded)
        loss: Tensor = self._smoothed(output, model.embedding, None, rows.labels)
        return loss


def _teacher_encodes(layer: EncoderLayer, x: Tensor, mask: Tensor) -> Tensor:
    return cast(Tensor, layer(x, mask))


def _teacher_decodes(
    layer: DecoderLayer, x: Tensor, memory: Tensor, own_mask: Tensor, mask: Tensor
) -> Tensor:
    return cast(Tensor, layer(x, memory, own_mask, mask))
