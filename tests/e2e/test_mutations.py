"""What a translation writes, judged by browsers: nothing runs that did not run in the page.

Both ways of looking at it: the elements that the browser makes of it, and, where the page itself
does nothing, whether anything happens once it is put into a document.
"""

from __future__ import annotations

from tests.support.cases.mutations import MUTATIONS, mixed, written
from tests.support.pages import OpenPage

JUDGE = """async (pairs) => {
  const handlers = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.querySelectorAll("*")].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith("on")),
    ).length;
  };
  const runs = async (html) => {
    window.pwnings = 0;
    window.pwned = () => (window.pwnings += 1);
    const place = document.createElement("div");
    document.body.append(place);
    place.innerHTML = html;
    // What is in it is asked for first, and so fails first.
    await new Promise((resolve) => {
      const last = document.createElement("img");
      last.onerror = resolve;
      last.setAttribute("src", "");
      document.body.append(last);
    });
    place.remove();
    return window.pwnings;
  };
  const wrong = [];
  for (const [source, output] of pairs) {
    if (handlers(output) > handlers(source)) wrong.push(["made", source, output]);
    if (handlers(source) > 0 || (await runs(source)) > 0) continue;
    if ((await runs(output)) > 0) wrong.push(["ran", source, output]);
  }
  return wrong;
}"""


def test_nothing_runs_that_did_not_run_before(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/frame.html").page
    sources = [*MUTATIONS, *mixed(600, seed=2)]
    outputs = [(source, written(source)) for source in sources]
    pairs = [[source, output] for source, output in outputs if output is not None]
    assert len(pairs) > 500
    assert page.evaluate(JUDGE, pairs) == []


def test_the_judge_sees_what_runs(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/frame.html").page
    # What was written before it was parsed again.
    output = (
        "<form><p>JA<math><mtext><form><mglyph><style></math><img src onerror=pwned()></style>"
        "</mglyph></form></mtext></math></p></form>"
    )
    found = page.evaluate(JUDGE, [[MUTATIONS[2], output]])
    assert [kind for kind, _, _ in found] == ["made", "ran"]
