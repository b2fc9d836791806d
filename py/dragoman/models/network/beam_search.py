"""Beam search of a batch on the device that the model is on, for what a teacher translates.

Scores are mean log probabilities a piece, the end included. A sentence is done when as many
hypotheses have ended as the beam is wide. Shape letters: B sentences, K hypotheses, V pieces.
"""

from __future__ import annotations

import torch
from torch import Tensor

from dragoman.models.network.decoders import State
from dragoman.models.network.student import EOS, UNK, Student

ASK_EVERY = 4  # steps between questions to the device whether all are done


@torch.no_grad()
def beam_search(
    model: Student, source: Tensor, source_mask: Tensor, beam: int, limits: Tensor
) -> list[list[int] | None]:
    """The best translation of each sentence, without its EOS; None where none ended in time.

    Args:
        source: int64 [B, S]; the mask is True where a piece is real.
        beam: K, hypotheses of a sentence.
        limits: int64 [B], most target pieces of each sentence, EOS included.
    """
    count, device = len(source), source.device
    memory, mask = model.encode(source, source_mask)
    wide = torch.arange(count, device=device).repeat_interleave(beam)
    states = model.decoder.start(memory[wide])
    mask = mask[wide]
    longest = int(limits.max())
    scores = torch.full((count, beam), -torch.inf, device=device)
    scores[:, 0] = 0  # all hypotheses are the same as yet: one of them goes on
    ids = torch.full((count, beam, longest), EOS, dtype=torch.long, device=device)
    best = torch.full((count,), -torch.inf, device=device)
    best_ids = ids[:, 0].clone()
    ended = torch.zeros(count, dtype=torch.long, device=device)
    previous = memory.new_zeros(count * beam, 1, model.sizes.dimension, dtype=torch.float32)
    for step in range(longest):
        x, states = model.decoder.step(model.placed(previous, step)[:, 0], states, mask)
        logits = model.logits(x).float()
        logits[:, UNK] = -torch.inf
        total = scores[:, :, None] + logits.log_softmax(dim=-1).view(count, beam, -1)
        top, place = total.flatten(1).topk(2 * beam, dim=1)
        parent, piece = place // total.shape[2], place % total.shape[2]
        open_ = (ended < beam) & (step < limits)
        # What ends among the best K has ended; of the rest the best K go on.
        ends = (piece == EOS) & open_[:, None]
        ends[:, beam:] = False
        mean = torch.where(ends, top / (step + 1), -torch.inf)
        highest, which = mean.max(dim=1)
        better = highest > best
        best = torch.where(better, highest, best)
        chosen = ids.gather(1, parent.gather(1, which[:, None])[:, :, None].expand(-1, 1, longest))
        best_ids = torch.where(better[:, None], chosen[:, 0], best_ids)
        ended += ends.sum(dim=1)
        scores, order = top.masked_fill(piece == EOS, -torch.inf).topk(beam, dim=1)
        parent, piece = parent.gather(1, order), piece.gather(1, order)
        ids = ids.gather(1, parent[:, :, None].expand(-1, -1, longest))
        ids[:, :, step] = piece
        rows = (torch.arange(count, device=device)[:, None] * beam + parent).flatten()
        states = [_reordered(state, rows) for state in states]
        previous = model.rows(piece.view(-1, 1))
        if step % ASK_EVERY == ASK_EVERY - 1:
            done = (ended >= beam) | (step + 1 >= limits)
            if bool(done.all()):
                break
    lengths = (best_ids != EOS).sum(dim=1).tolist()
    there = torch.isfinite(best).tolist()
    return [
        row[:length] if ok else None
        for row, length, ok in zip(best_ids.tolist(), lengths, there, strict=True)
    ]


def _reordered(state: State, rows: Tensor) -> State:
    """What is kept of the target moves with its hypothesis; hypotheses share their source."""
    kept, source = state
    return tuple(value[rows] for value in kept), source
