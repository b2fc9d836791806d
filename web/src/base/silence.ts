/** Waiting for a sign of life: what is not heard of for so long has got stuck. */

export class Silence {
  readonly #seconds: number;
  readonly #ontoolong: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** `ontoolong` is called once, unless it was ended before. */
  constructor(seconds: number, ontoolong: () => void) {
    this.#seconds = seconds;
    this.#ontoolong = ontoolong;
    this.heard();
  }

  /** There was a sign. */
  heard(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ontoolong, this.#seconds * 1000);
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
