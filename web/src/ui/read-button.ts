/** A button that reads a text aloud, and stops. It hides where this machine has no voice for the text's language. */

import { Voice, type Speech } from "./voice.ts";

export interface ReadHost {
  /** Empty: there is nothing to read. */
  readonly text: () => string;
  /** BCP 47. */
  readonly language: () => string;
  readonly say: (text: "read" | "stop") => string;
}

export class ReadButton {
  readonly #button: HTMLButtonElement;
  readonly #host: ReadHost;
  /** Undefined: this browser reads nothing. */
  readonly #voice: Voice | undefined;
  #isReading = false;

  /** Until `signal` ends, it hears of voices that come late. */
  constructor(button: HTMLButtonElement, host: ReadHost, signal: AbortSignal, speech: Speech | undefined = platformSpeech()) {
    [this.#button, this.#host] = [button, host];
    this.#voice = speech && new Voice(speech, (isReading) => {
      this.#isReading = isReading;
      this.update();
    });
    this.#voice?.onvoices(() => { this.update(); }, signal);
    signal.addEventListener("abort", () => { this.stop(); });
    button.addEventListener("click", () => {
      if (this.#isReading) this.stop();
      else this.#voice?.read(host.text(), host.language());
    });
    this.update();
  }

  /** The text is another one, or its language. */
  update(): void {
    this.#button.textContent = this.#host.say(this.#isReading ? "stop" : "read");
    this.#button.hidden = !this.#isReading && !(this.#host.text().trim() && this.#voice?.canRead(this.#host.language()));
  }

  stop(): void {
    if (this.#isReading) this.#voice?.stop();
  }
}

function platformSpeech(): Speech | undefined {
  return "speechSynthesis" in globalThis ? speechSynthesis : undefined;
}
