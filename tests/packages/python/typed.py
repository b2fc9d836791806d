"""What a user writes with types; mypy and pyright check it against the installed package."""

import asyncio
from collections.abc import AsyncIterator
from typing import assert_type

import dragoman
from dragoman import AsyncTranslator, TranslationResponse, Translator


def words(translator: Translator, text: str) -> list[tuple[str, str]]:
    response = translator.translate(text, priority="near", alignment="hard")
    assert_type(response, TranslationResponse)
    return [(text[s.source.start : s.source.end], f"{s.score:.2f}") for s in response.sentences]


async def lines() -> AsyncIterator[str]:
    yield "Guten Morgen!"


async def main() -> None:
    async with AsyncTranslator.load("de", "en") as translator:
        assert_type(translator, AsyncTranslator)
        response = await translator.translate("Guten Morgen!")
        assert_type(response.text, str)
        async for piece in translator.stream(lines()):
            assert_type(piece.text, str)
            print(piece.text)


with dragoman.load("de", "en") as plain:
    assert_type(plain, Translator)
    print(len(plain.translate("Guten Morgen!").sentences))
try:
    asyncio.run(main())
except dragoman.LanguagePairError as error:
    print(error.code, error.message)
