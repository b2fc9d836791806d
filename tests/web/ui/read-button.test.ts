import { JSDOM } from "jsdom";
import { expect, it, vi } from "vitest";
import { ReadButton } from "../../../web/src/ui/read-button.ts";
import type { Speech } from "../../../web/src/ui/voice.ts";

class Utterance extends EventTarget {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
}

function made(lang = "de-DE") {
  vi.stubGlobal("SpeechSynthesisUtterance", Utterance);
  const button = new JSDOM().window.document.createElement("button");
  const shown = { text: "", language: "de" };
  const said: SpeechSynthesisUtterance[] = [];
  const speech = {
    getVoices: () => [{ lang, localService: true, default: false, name: lang, voiceURI: lang }],
    speak: (utterance) => { said.push(utterance); },
    cancel: () => undefined,
    addEventListener: () => undefined,
  } as Speech;
  const { signal } = new AbortController();
  const reader = new ReadButton(button, { text: () => shown.text, language: () => shown.language, say: (says) => says }, signal, speech);
  return { button, shown, said, reader };
}

it("is there where there is a text and a voice for its language", () => {
  const { button, shown, reader } = made();
  expect(button.hidden).toBe(true);
  shown.text = "Guten Morgen";
  reader.update();
  expect([button.hidden, button.textContent]).toEqual([false, "read"]);
  shown.language = "en";
  reader.update();
  expect(button.hidden).toBe(true);
});

it("reads, stops, and begins anew when it is at the end", () => {
  const { button, shown, said, reader } = made();
  shown.text = "Guten Morgen";
  reader.update();
  button.click();
  expect([said.map(({ text }) => text), button.textContent]).toEqual([["Guten Morgen"], "stop"]);
  button.click();
  expect(button.textContent).toBe("read");
  button.click();
  said.at(-1)?.dispatchEvent(new Event("end"));
  expect([said.length, button.textContent]).toEqual([2, "read"]);
});
