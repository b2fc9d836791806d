from __future__ import annotations

import pytest
import torch

from dragoman.models.network.precision import compute_type


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"architecture": "x86_64", "avx2": True, "avx512_bf16": False}, torch.float32),
        ({"architecture": "x86_64", "avx512_bf16": True}, torch.bfloat16),
        ({"architecture": "x86_64", "avx512_bf16": False, "amx_bf16": True}, torch.bfloat16),
        ({"architecture": "aarch64", "neon": True, "bf16": False}, torch.float32),
        ({"architecture": "aarch64", "neon": True, "bf16": True}, torch.bfloat16),
    ],
)
def test_a_processor_computes_in_what_it_has_instructions_for(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, object], expected: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    assert compute_type(torch.device("cpu")) == expected
    assert compute_type(torch.device("cpu"), bfloat16=False) == torch.float32
    assert compute_type(torch.device("cuda")) == torch.bfloat16
