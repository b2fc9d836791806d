/** What the page says about working without a network: of the chosen direction, and in its title of all that do. */

import { browserEnvironment, type Environment } from "../src/api/environment.ts";
import type { Offer } from "../src/api/offers.ts";
import { Translator } from "../src/api/translator.ts";
import { ModelStore } from "../src/stores/model-store.ts";
import type { Route } from "../src/ui/directions.ts";
import { goOffline, type OfflineState } from "./offline.ts";
import { directionName, say } from "./texts/texts.ts";

interface Direction {
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
}

export interface OfflineHost {
  /** A new version waits; `apply` switches to it. */
  readonly onupdate: (apply: () => void) => void;
  readonly findOffers: () => Promise<readonly Offer[]>;
}

export class OfflineChip {
  readonly #element: HTMLElement;
  readonly #environment: Environment;
  readonly #host: OfflineHost;
  #direction: Direction | undefined;
  #state: OfflineState | undefined;
  #kept: readonly Pick<Offer, "source" | "target">[] = [];

  constructor(element: HTMLElement, host: OfflineHost, environment = browserEnvironment()) {
    this.#element = element;
    this.#host = host;
    this.#environment = environment;
  }

  /** Nothing is said while a model is to be fetched. */
  hide(): void {
    this.#direction = undefined;
    this.#element.hidden = true;
  }

  /**
   * Keep the site, and of a direction that has been loaded the way back, so that swapping works without a network.
   *
   * @param back undefined: there is none.
   */
  async keep(direction: Direction, back: Route | undefined): Promise<void> {
    this.#direction = direction;
    const isCurrent = (): boolean => this.#direction === direction;
    await goOffline({
      isModelKept: async () => (await Translator.availability(direction)) === "available",
      onstate: (state) => {
        if (isCurrent()) this.#become(state);
      },
      onupdate: this.#host.onupdate,
    });
    await this.#findKept();
    if (!isCurrent() || this.#state !== "ready" || !back || isSparing()) return;
    await this.#keepBack(back);
    await this.#findKept();
  }

  /** In the language of the page. */
  retell(): void {
    if (!this.#direction || !this.#state) return;
    this.#element.hidden = false;
    this.#element.dataset["state"] = this.#state;
    this.#element.textContent = say(`offline.${this.#state}`);
    const directions = this.#kept.map(({ source, target }) => directionName(source, target)).join(", ");
    this.#element.title = this.#kept.length ? say("offline.kept", { directions }) : "";
    this.#element.dataset["kept"] = this.#kept.map(({ source, target }) => `${source}-${target}`).join(" ");
  }

  #become(state: OfflineState): void {
    this.#state = state;
    this.retell();
  }

  /** The site's own models are small, and published ones were asked for by a person. */
  async #keepBack({ legs }: Route): Promise<void> {
    const own = legs.filter(({ published, isKept }) => !published && !isKept);
    try {
      for (const { bundle } of own) await new ModelStore(this.#environment.base, bundle).load();
    } catch {
      // It is said of no direction that is not kept; the next visit tries again.
    }
  }

  async #findKept(): Promise<void> {
    const offers = await this.#host.findOffers().catch(() => []);
    this.#kept = offers.filter(({ isKept }) => isKept);
    this.retell();
  }
}

/** Whether the person asked for few bytes. */
function isSparing(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData === true;
}
