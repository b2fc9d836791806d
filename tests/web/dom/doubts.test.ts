import { describe, expect, it } from "vitest";
import { upperCased } from "../../../web/src/fakes/blocks.ts";
import { TestPage } from "./page-fixture.ts";

const HEAD = "<!DOCTYPE html><html lang=de><head></head><body>";
const MARK = "data-dragoman-doubtful";

/** All texts have the score, and are doubtful. */
async function doubtedPage(html: string, doubt = 0.1): Promise<TestPage> {
  const test = new TestPage(HEAD + html);
  test.translator.answer = ({ block, answer }) => { answer.resolve({ ...upperCased(block, false), doubt }); };
  return test.translate();
}

describe("a short text of the interface whose translation is to be doubted", () => {
  it("stays in its language, marked; a sentence does not", async () => {
    const test = await doubtedPage("<nav><a>Los</a></nav><p>Los geht's</p><nav><a>Ein Satz von fünf Wörtern</a></nav>");
    expect(test.body.innerHTML).toBe(
      `<nav><a ${MARK}="text">Los</a></nav><p>LOS GEHT'S</p><nav><a>EIN SATZ VON FÜNF WÖRTERN</a></nav>`,
    );
    expect(test.progress).toMatchObject({ phase: "translated", total: 3, done: 3, failed: 0 });
  });

  it("is translated from the least score on", async () => {
    const test = await doubtedPage("<button>Los</button>", 0.35);
    expect(test.body.innerHTML).toBe("<button>LOS</button>");
  });

  it("may be an attribute, which the mark names", async () => {
    const test = await doubtedPage('<button title="Auf geht\'s">Los</button><input placeholder="Dein Name">');
    expect(test.get("button").getAttribute(MARK)).toBe("text title");
    expect([test.get("input").getAttribute("placeholder"), test.get("input").getAttribute(MARK)]).toEqual(["Dein Name", "placeholder"]);
  });

  it("leaves nothing behind when the page is restored", async () => {
    const test = new TestPage(`${HEAD}<button title=Tipp>Los</button>`);
    const before = test.snapshot();
    test.translator.answer = ({ block, answer }) => { answer.resolve({ ...upperCased(block, false), doubt: 0.1 }); };
    await test.translate();
    expect(test.document.querySelectorAll("dragoman-overlay style")).toHaveLength(1);
    await test.page.restore();
    expect(test.snapshot()).toEqual(before);
    expect(test.document.documentElement.outerHTML).toBe(
      '<html lang="de"><head></head><body><button title="Tipp">Los</button></body></html>',
    );
  });

  it("loses its mark when the page says something else there", async () => {
    const test = await doubtedPage("<button>Los</button>");
    test.translator.answer = ({ block, answer }) => { answer.resolve(upperCased(block, false)); };
    test.get("button").textContent = "Weiter";
    await test.frame();
    await test.settled();
    expect(test.body.innerHTML).toBe("<button>WEITER</button>");
  });

  it("stays so where it comes again", async () => {
    const test = await doubtedPage("<nav><a>Los</a></nav>");
    test.body.insertAdjacentHTML("beforeend", "<button>Los</button><p>Los</p>");
    await test.frame();
    await test.settled();
    expect(test.sent).toEqual(["Los"]);
    expect(test.body.innerHTML).toBe(`<nav><a ${MARK}="text">Los</a></nav><button ${MARK}="text">Los</button><p>LOS</p>`);
  });

  it("says its translation to whoever asks what is there", async () => {
    const test = await doubtedPage("<button>Los</button>");
    expect(test.page.shownAt(test.get("button"))).toEqual({
      element: test.get("button"), source: "Los", translation: "LOS", isKept: true,
    });
  });
});
