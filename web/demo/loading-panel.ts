/** Progress of loading, stage by stage. It is in the page from the start; this moves it. */

import type { LoadingEvent } from "../src/api/monitor.ts";
import { formatBytes } from "./texts/format.ts";
import { say } from "./texts/texts.ts";

export class LoadingPanel {
  readonly #element: HTMLElement;
  readonly #stages: ReadonlyMap<string, { row: HTMLElement; bar: HTMLProgressElement; bytes: HTMLElement }>;

  /** `element` holds a row for each stage: `[data-stage]` with a `progress` and an `output`. */
  constructor(element: HTMLElement) {
    this.#element = element;
    const rows = [...element.querySelectorAll<HTMLElement>("[data-stage]")];
    this.#stages = new Map(
      rows.flatMap((row) => {
        const bar = row.querySelector("progress");
        const bytes = row.querySelector<HTMLElement>(".bytes");
        return bar && bytes ? [[row.dataset["stage"] ?? "", { row, bar, bytes }]] : [];
      }),
    );
  }

  /** Show it as it stands. */
  reveal(): void {
    this.#element.hidden = false;
  }

  /** Show it from the start. */
  show(): void {
    this.reveal();
    for (const { row, bar, bytes } of this.#stages.values()) {
      delete row.dataset["done"];
      bar.removeAttribute("value");
      bytes.textContent = "";
    }
  }

  hide(): void {
    this.#element.hidden = true;
  }

  /** Returns what to say of it. */
  update({ stage, loaded, total }: LoadingEvent): string {
    const view = this.#stages.get(stage);
    if (view && total > 0) {
      view.bar.max = total;
      view.bar.value = loaded;
      view.bytes.textContent =
        loaded < total
          ? say("loading.part", { loaded: formatBytes(loaded), total: formatBytes(total) })
          : formatBytes(total);
      if (loaded === total) view.row.dataset["done"] = "";
      else if (loaded === 0) view.bar.removeAttribute("value"); // Moving, though nothing is counted yet.
    }
    return say("loading.stage", { stage: say(`loading.${stage}`) });
  }
}
