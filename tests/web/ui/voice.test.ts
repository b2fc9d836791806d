import { describe, expect, it } from "vitest";
import { localVoice, Voice, type Speech } from "../../../web/src/ui/voice.ts";

const voice = (lang: string, localService: boolean, isDefault = false): SpeechSynthesisVoice => ({
  lang, localService, default: isDefault, name: `${lang} ${String(localService)}`, voiceURI: lang,
});

describe("the voice for a language", () => {
  const austrian = voice("de_AT", true);
  const german = voice("de-DE", true, true);
  it.each([
    ["de", [austrian, german], german],
    ["de-AT", [german, austrian], austrian],
    ["de", [austrian], austrian],
    ["de", [voice("de-DE", false)], null],
    ["de", [voice("en-GB", true)], null],
  ] as const)("%s", (language, voices, expected) => {
    expect(localVoice(voices, language)).toBe(expected);
  });
});

it("reads nothing where only a voice of a server could", () => {
  const said: unknown[] = [];
  const speech = {
    getVoices: () => [voice("de-DE", false)], speak: (utterance: unknown) => said.push(utterance), cancel: () => undefined,
    addEventListener: () => undefined,
  } as Speech;
  const reader = new Voice(speech, () => undefined);
  expect(reader.canRead("de")).toBe(false);
  expect(reader.read("Guten Morgen", "de")).toBe(false);
  expect(said).toEqual([]);
});
