"""asyncio: many texts at once, a time limit, a cancel: python at_once.py"""

import asyncio

import dragoman

TEXTS = ["Guten Morgen!", "Wo ist der Bahnhof?", "Ich habe ein Buch."]


async def main() -> None:
    async with dragoman.AsyncTranslator.load("de", "en") as translator:
        async with asyncio.timeout(60):
            for response in await asyncio.gather(*map(translator.translate, TEXTS)):
                print(response.text)
        waiting = asyncio.create_task(translator.translate("Niemand wartet darauf. " * 200))
        await asyncio.sleep(0)  # it begins
        waiting.cancel()  # and is taken back from the engine
        try:
            await waiting
        except asyncio.CancelledError:
            print("taken back")


asyncio.run(main())
