/** A dialog around a panel that takes files. */

import { within } from "./page/dom.ts";

export interface FilePanel {
  show(): Promise<void>;
  take(files: readonly File[]): Promise<void>;
}

export class PanelDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #panel: FilePanel;

  /** @param panelIn makes it, in an empty element of the dialog. */
  constructor(dialog: HTMLDialogElement, panelIn: (box: HTMLElement) => FilePanel) {
    this.#dialog = dialog;
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
    await this.#panel.take(files);
  }
}
