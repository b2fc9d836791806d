/**
 * Texts read aloud by the platform's own voices. Only those that are on this machine: the others would send the text
 * to whoever makes them.
 */

export type Speech = Pick<SpeechSynthesis, "getVoices" | "speak" | "cancel" | "addEventListener">;
type LocalVoice = Pick<SpeechSynthesisVoice, "lang" | "localService" | "default">;

/** The voice for a language (BCP 47); null: there is none on this machine. */
export function localVoice<V extends LocalVoice>(voices: readonly V[], language: string): V | null {
  const fitting = voices.filter(({ lang, localService }) => localService && primary(lang) === primary(language));
  const exact = fitting.filter(({ lang }) => lang.replace("_", "-").toLowerCase() === language.toLowerCase());
  return [...exact, ...fitting.filter((voice) => voice.default), ...fitting][0] ?? null;
}

export class Voice {
  readonly #speech: Speech;
  readonly #onchange: (isReading: boolean) => void;

  /** `onchange` hears when it begins and when it has ended, whatever ended it. */
  constructor(speech: Speech, onchange: (isReading: boolean) => void) {
    this.#speech = speech;
    this.#onchange = onchange;
  }

  /** Browsers know their voices late. */
  onvoices(look: () => void, signal: AbortSignal): void {
    this.#speech.addEventListener("voiceschanged", look, { signal });
  }

  canRead(language: string): boolean {
    return localVoice(this.#speech.getVoices(), language) !== null;
  }

  /** @returns whether there is a voice for it. */
  read(text: string, language: string): boolean {
    const voice = localVoice(this.#speech.getVoices(), language);
    if (!voice) return false;
    this.#speech.cancel();
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.voice = voice;
    utterance.lang = voice.lang;
    for (const end of ["end", "error"]) utterance.addEventListener(end, () => { this.#onchange(false); });
    this.#speech.speak(utterance);
    this.#onchange(true);
    return true;
  }

  stop(): void {
    this.#speech.cancel();
    this.#onchange(false);
  }
}

function primary(tag: string): string {
  return tag.toLowerCase().split(/[-_]/)[0] ?? "";
}
