/** A dialog around a panel that takes files. */

import { within } from "./page/dom.ts";

export interface FilePanel {
  show(): Promise<void>;
  take(files: readonly File[]): Promise<void>;
}

export class PanelDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #panel: FilePanel;
  readonly #isKnown: () => boolean;
  /** Those that came before there were languages to read them in. */
  #waiting: readonly File[] = [];

  /**
   * @param isKnown whether there are languages to choose from.
   * @param panelIn makes it, in an empty element of the dialog.
   */
  constructor(dialog: HTMLDialogElement, isKnown: () => boolean, panelIn: (box: HTMLElement) => FilePanel) {
    this.#dialog = dialog;
    this.#isKnown = isKnown;
    within(dialog, ".close", HTMLButtonElement).addEventListener("click", () => { dialog.close(); });
    this.#panel = panelIn(within(dialog, ".own-files", HTMLElement));
  }

  get isOpen(): boolean {
    return this.#dialog.open;
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    void this.#panel.show();
  }

  async take(files: readonly File[]): Promise<void> {
    this.open();
    if (this.#isKnown()) await this.#panel.take(files);
    else this.#waiting = [...this.#waiting, ...files];
  }

  /** There are languages to choose from now. */
  async known(): Promise<void> {
    const files = this.#waiting;
    this.#waiting = [];
    if (this.isOpen) await this.#panel.show();
    if (files.length) await this.#panel.take(files);
  }
}
