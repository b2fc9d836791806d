/** A fetch that a click wants, after the publisher's permission, which that click asks for. */

import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import { api } from "../api.ts";
import type { Pair, ToBackground } from "../messages.ts";
import { originsOf } from "../models.ts";
import { Permission } from "../permissions.ts";
import type { ModelsClient } from "./models-client.ts";

export class Publisher {
  readonly #permission: Permission;

  private constructor(permission: Permission) {
    this.#permission = permission;
  }

  /** That of some models. */
  static async of(models: readonly PublishedModel[]): Promise<Publisher> {
    return new Publisher(await Permission.of({ origins: originsOf(models) }));
  }

  /** Call it from a click. @returns whether the fetch has begun. */
  async fetch(client: ModelsClient, pair: Pair): Promise<boolean> {
    if (!this.#permission.isGiven && !(await this.#ask(pair))) return false;
    client.post({ type: "fetch", ...pair });
    return true;
  }

  /** The question may close the panel: the background goes on then. */
  async #ask(pair: Pair): Promise<boolean> {
    const asked = this.#permission.ask();
    await want(pair);
    const isAllowed = await asked;
    await want(null);
    return isAllowed;
  }
}

async function want(pair: Pair | null): Promise<void> {
  await api.runtime.sendMessage({ type: "fetch-wanted", pair } satisfies ToBackground);
}
