"""Two models in one pair of workers: a pair of languages without a model goes over English."""

from __future__ import annotations

from tests.support.pages import OpenPage, Server

TEXT = "Guten Morgen! 😀\nDas ist ein Haus."

PIVOT = """async (text) => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "fr" };
  const before = await Translator.availability(pair);
  const translator = await Translator.create(pair);
  const response = await translator.translateDetailed(text);
  const direct = await translator.translate(text);
  translator.destroy();
  return { before, response, direct, length: response.text.length };
}"""


def test_a_pair_without_a_model_goes_over_english(open_page: OpenPage, two_models: Server) -> None:
    found = open_page(two_models.url + "/blank.html").page.evaluate(PIVOT, TEXT)
    response = found["response"]
    assert found["before"] == "downloadable"
    assert found["direct"] == response["text"] != ""
    units = TEXT.encode("utf-16-le")
    target = response["text"].encode("utf-16-le")
    read = written = 0
    for sentence in response["sentences"]:
        (start, end), (to, until) = sentence["source"], sentence["target"]
        assert units[2 * read : 2 * start] == target[2 * written : 2 * to]
        read, written = end, until
    assert units[2 * read :] == target[2 * written :]
    assert len(response["sentences"]) == 2
    words = response["alignment"]["sourceWords"], response["alignment"]["targetWords"]
    assert response["alignment"]["links"]
    for source_word, target_word in response["alignment"]["links"]:
        assert source_word < len(words[0])
        assert target_word < len(words[1])
