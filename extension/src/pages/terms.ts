/** A person's own terms in the settings: for all pages, or for those of one site. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { EVERYWHERE, GlossaryStore } from "../../../web/src/stores/glossary-store.ts";
import { GlossaryPanel } from "../../../web/src/ui/glossary/glossary-panel.ts";
import { counted, languageName, message, ownLanguage } from "../api.ts";
import { errorText } from "../errors.ts";
import { siteIn } from "../site.ts";
import { acceptFiles, Direction } from "./direction.ts";
import { byId } from "./localize.ts";

/** Of the list of sites: one that is not in it is to be named. */
const ANOTHER = "another";

export class Terms {
  readonly #store = new GlossaryStore();
  readonly #panel: GlossaryPanel;
  readonly #direction = new Direction("glossary", () => { this.#show(); });
  readonly #site = byId<HTMLSelectElement>("glossary-site");
  readonly #name = byId<HTMLInputElement>("glossary-site-name");
  readonly #naming = byId("glossary-site-naming");

  /** `onchange`: other terms are used now. */
  constructor(onchange: () => void) {
    const box = byId("terms");
    this.#panel = new GlossaryPanel(box, this.#store, {
      say: (text) => message(`glossary_${text}`),
      field: (side, language) => message(`glossary_${side}`, languageName(language)),
      taken: (count) => counted("glossary_taken", count),
      more: (count) => message("glossary_more", count.toLocaleString(ownLanguage())),
      editOf: (term) => message("glossary_editNamed", term),
      removeOf: (term) => message("removeNamed", term),
      problem: errorText,
    }, () => this.#place(), onchange);
    this.#site.addEventListener("change", () => {
      this.#naming.hidden = this.#site.value !== ANOTHER;
      box.inert = !this.#naming.hidden;
      if (this.#naming.hidden) void this.#panel.show();
      else this.#name.focus();
    });
    this.#name.addEventListener("change", () => { this.#choose(siteIn(this.#name.value)); });
    acceptFiles(box, (files) => void this.#panel.take(files));
  }

  offer(offers: readonly Offer[]): void {
    this.#direction.offer(offers);
    this.#show();
  }

  #place() {
    const { value } = this.#site;
    return value === ANOTHER ? undefined : { ...this.#direction.pair, site: value };
  }

  #show(): void {
    void this.#listSites().then(() => this.#panel.show());
  }

  /** Those that have terms in the direction, and the one that is chosen. */
  async #listSites(): Promise<void> {
    const kept = await this.#store.list(this.#direction.pair).catch(() => []);
    const { value } = this.#site;
    const sites = new Set([...kept.map(({ site }) => site), value]);
    for (const other of [EVERYWHERE, ANOTHER]) sites.delete(other);
    this.#site.replaceChildren(
      new Option(message("glossary_everywhere"), EVERYWHERE),
      ...[...sites].sort().map((site) => new Option(message("glossary_onSite", site), site)),
      new Option(message("glossary_anotherSite"), ANOTHER),
    );
    this.#site.value = value;
  }

  /** What was typed as a site; null: it is none. */
  #choose(site: string | null): void {
    this.#name.setCustomValidity(site === null ? message("glossary_noSite") : "");
    if (site === null) {
      this.#name.reportValidity();
      return;
    }
    this.#site.add(new Option(message("glossary_onSite", site), site), 1);
    this.#site.value = site;
    this.#name.value = "";
    this.#site.dispatchEvent(new Event("change"));
    this.#site.focus();
  }
}
