import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { copy, type CopyingView } from "../../../web/src/ui/copying.ts";

class FakeItem {
  static supports = (): boolean => true;
  readonly types: readonly string[];
  readonly #data: Readonly<Record<string, Blob>>;

  constructor(data: Readonly<Record<string, Blob>>) {
    this.#data = data;
    this.types = Object.keys(data);
  }

  async says(): Promise<Record<string, string>> {
    const says = Object.entries(this.#data).map(async ([type, blob]) => [type, await blob.text()] as const);
    return Object.fromEntries(await Promise.all(says));
  }
}

const refuse = (): Promise<never> => Promise.reject(new DOMException("no", "NotAllowedError"));

function view(taken: unknown[], write?: () => Promise<void>): CopyingView {
  return {
    document: new JSDOM().window.document,
    ClipboardItem: FakeItem as unknown as typeof ClipboardItem,
    navigator: {
      clipboard: {
        write: write ?? (async ([item]) => { taken.push(await (item as unknown as FakeItem).says()); }),
        writeText: (text) => { taken.push(text); return Promise.resolve(); },
      },
    },
  };
}

describe("copying", () => {
  it("takes the formatting beside the text", async () => {
    const taken: unknown[] = [];
    await copy({ text: "Go now", html: "Go <b>now</b>" }, view(taken));
    expect(taken).toEqual([{ "text/plain": "Go now", "text/html": "Go <b>now</b>" }]);
  });

  it("takes the text where there is no formatting, or the browser takes none", async () => {
    const taken: unknown[] = [];
    await copy({ text: "Go" }, view(taken));
    await copy({ text: "Go now", html: "Go <b>now</b>" }, view(taken, refuse));
    expect(taken).toEqual(["Go", "Go now"]);
  });

  it("asks the document where there is no clipboard", async () => {
    const { document, Event } = new JSDOM().window;
    const taken: Record<string, string> = {};
    const execCommand = (command: string): boolean => {
      const event = new Event(command, { cancelable: true });
      Object.assign(event, { clipboardData: { setData: (type: string, text: string) => { taken[type] = text; } } });
      document.dispatchEvent(event);
      return true;
    };
    Object.assign(document, { execCommand });
    await copy({ text: "Go now", html: "Go <b>now</b>" }, { navigator: {}, document });
    expect(taken).toEqual({ "text/plain": "Go now", "text/html": "Go <b>now</b>" });
  });

  it("says where it may not", async () => {
    const { document } = new JSDOM().window;
    Object.assign(document, { execCommand: () => false });
    await expect(copy({ text: "Go" }, { navigator: {}, document })).rejects.toThrow("the browser does not let it copy");
  });
});
