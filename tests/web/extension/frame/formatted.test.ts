import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { formattedCopy, translateFormatted } from "../../../../extension/src/frame/formatted.ts";
import { FakeBlockTranslator } from "../../../../web/src/fakes/blocks.ts";
import { Overlay } from "../../../../web/src/ui/overlay.ts";

const PAIR = { source: "de", target: "en" };

function select(html: string): { doc: Document; copy: HTMLElement | undefined } {
  const { document: doc } = new JSDOM(`<base href="https://example.org/"><body>${html}`, { pretendToBeVisual: true }).window;
  const selection = doc.getSelection();
  selection?.selectAllChildren(doc.body);
  return { doc, copy: formattedCopy(doc, selection) };
}

describe("what is selected", () => {
  it("is copied with what formats, and nothing that loads or runs", () => {
    const { copy } = select(
      `<p class=x onclick="go()">Ein <b style="color: red">Haus</b> <img src=x><script>go()</script><a href="see" id=y>am See</a> ` +
        `<a href="javascript:go()">jetzt</a><x-y>!</x-y></p>`,
    );
    expect(copy?.innerHTML).toBe('<p>Ein <b>Haus</b> <a href="https://example.org/see">am See</a> <a>jetzt</a>!</p>');
  });

  it("has no formatting where it is text in paragraphs", () => {
    expect(select("<p>Ein <span>Haus</span></p><p>am See</p>").copy).toBeUndefined();
  });

  it("is translated block by block, its elements where their words went", async () => {
    const { doc, copy } = select("<p>Ein <b>Haus</b> am See</p><ul><li>Eins</li></ul>");
    if (!copy) throw new Error("nothing was copied");
    copy.setAttribute("translate", "yes");
    new Overlay(doc, { role: "dialog", label: "", language: "en" }).beside("").append(copy); // where it is shown
    const translator = new FakeBlockTranslator();
    expect(await translateFormatted(copy, translator, PAIR, new AbortController().signal)).toBe(
      "<p>EIN <b>HAUS</b> AM SEE</p><ul><li>EINS</li></ul>",
    );
    expect(translator.submitted.map(({ block }) => block.text)).toEqual(["Ein Haus am See", "Eins"]);
  });
});
