"""Searches that a graph does not do itself, in onnxruntime: beams, prefixes, ensembles, sampling.

graphs --taken apart--> OnnxSteps, one or an `Ensemble` of several --> `beam_search`
                                           `Draws` choose the pieces, where they are sampled
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import onnxruntime

from dragoman.engines.beam_search import Steps, flat, search
from dragoman.engines.ensemble import Ensemble
from dragoman.engines.onnx_steps import OnnxSteps
from dragoman.engines.sampling import Draws
from dragoman.errors import EngineError, InvalidRequestError
from dragoman.types import EngineOutput, MiniBatch, Sampling


class StepwiseSearch:
    """Graphs that are searched step by step, as one.

    Args:
        graphs: the bytes of a ``model.onnx`` each, all of one vocabulary.
        sampling: draws pieces from their distribution; None: the most probable ones are chosen.

    Raises:
        BundleCorruptError: one is no such graph.
        BundleMismatchError: they make no ensemble, see `Ensemble`.
    """

    def __init__(
        self,
        graphs: Sequence[bytes],
        session: onnxruntime.SessionOptions,
        sampling: Sampling | None = None,
    ) -> None:
        self._members = [OnnxSteps(graph, session) for graph in graphs]
        self._steps: Steps = self._members[0] if len(graphs) == 1 else Ensemble(self._members)
        self._sampling = sampling

    def run(
        self, batch: MiniBatch, attention: bool, options: onnxruntime.RunOptions
    ) -> EngineOutput:
        """The hypotheses of a mini-batch; its `options` can end the run.

        Raises:
            EngineError: onnxruntime failed, or a prefix cannot be said.
            InvalidRequestError: pieces are to be drawn, and a beam to be followed.
        """
        if self._sampling and batch.search.beam > 1:
            beam = batch.search.beam
            raise InvalidRequestError(
                f"the beam is {beam}; sampling follows one hypothesis", requested=beam, allowed=1
            )
        for member in self._members:
            member.options = options
        names = self._members[0]
        given = replace(batch, prefixes=names.inside(batch.prefixes))
        draw = Draws(self._sampling, batch) if self._sampling else None
        try:
            searched = search(self._steps, given, attention=attention, draw=draw)
        except Exception as error:  # onnxruntime's own exceptions have no common base.
            raise EngineError(f"onnxruntime failed: {error}") from error
        ids = flat("i", names.outside(np.array(searched.ids, np.int32)))
        return replace(searched, ids=ids, scores=array("f") if batch.is_greedy else searched.scores)
