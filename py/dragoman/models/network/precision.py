"""Which numbers a network computes in; its parameters are float32 always."""

from __future__ import annotations

import torch

# Of `torch.cpu.get_capabilities`, on x86 and on ARM.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


def compute_type(device: torch.device, bfloat16: bool = True) -> torch.dtype:
    """bfloat16, where it is wanted and the device has instructions for it; else float32.

    A processor without them multiplies bfloat16 by PyTorch's plain loops: on x86 sixty times slower
    than float32 (docs/adr/0014).
    """
    return torch.bfloat16 if bfloat16 and _has_bfloat16(device) else torch.float32


def _has_bfloat16(device: torch.device) -> bool:
    if device.type != "cpu":
        return True
    return any(map(torch.cpu.get_capabilities().get, _INSTRUCTIONS))
