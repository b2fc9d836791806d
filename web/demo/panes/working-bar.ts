/** The bar over a translation that is under way. One that is there soon shows none: it would only flicker. */

/** Milliseconds. */
const PATIENCE = 200;

export class WorkingBar {
  readonly #bar: HTMLProgressElement;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(bar: HTMLProgressElement) {
    this.#bar = bar;
  }

  /** @param onshown it has taken so long that the bar is shown. */
  begin(onshown: () => void): void {
    this.#patience ??= setTimeout(() => {
      this.#bar.hidden = false;
      onshown();
    }, PATIENCE);
  }

  /** @returns whether it is shown. */
  set(done: number, total: number): boolean {
    this.#bar.max = Math.max(1, total);
    this.#bar.value = done;
    return !this.#bar.hidden;
  }

  end(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#bar.hidden = true;
    this.#bar.removeAttribute("value");
  }
}
