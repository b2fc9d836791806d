"""A translation memory in JavaScript: `Translator.create({memory})`, in real browsers."""

from __future__ import annotations

from tests.support.pages import OpenPage

TRANSLATED = """async () => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "en" };
  const memory = [
    { source: "Guten Tag!", target: "Hello \U0001f600!" },
    { source: "Das Haus ist groß.", target: "What a big house." },
  ];
  const translator = await Translator.create({ ...pair, memory });
  const text = "Guten  Tag! Das Haus ist alt.";
  const { text: target, sentences } = await translator.translateDetailed(text, { alternatives: 1 });
  const streamed = [];
  const stream = translator.translateStreaming("Guten Tag! Guten Tag!");
  for await (const piece of stream) streamed.push(piece);
  translator.destroy();
  const wrong = { ...pair, memory: [{ source: "", target: "x" }] };
  const failed = await Translator.create(wrong).catch((error) => error);
  return {
    target,
    fromMemory: sentences.map((sentence) => sentence.fromMemory),
    near: sentences[1].alternatives[0],
    streamed,
    code: failed.code,
  };
}"""


def test_a_memory(open_page: OpenPage) -> None:
    found = open_page().page.evaluate(TRANSLATED)
    assert found["target"].startswith("Hello \U0001f600! ")
    assert found["fromMemory"] == [True, False]
    assert found["near"]["text"] == "What a big house."
    assert found["near"]["memorySource"] == "Das Haus ist groß."
    assert found["near"]["score"] == 0.8
    assert found["streamed"] == ["Hello \U0001f600!", " Hello \U0001f600!"]
    assert found["code"] == "invalid-translation-memory"
