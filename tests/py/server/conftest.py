"""A server without a model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.hosts import capital_parts
from tests.support.serving import client


@pytest.fixture
async def capitals() -> AsyncIterator[httpx.AsyncClient]:
    """A server that translates into capitals."""
    async with client(lambda *_: capital_parts()) as made:
        yield made
