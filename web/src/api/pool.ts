/**
 * The pairs of workers of a page: translators that ask for the same share one.
 *
 *     lease(wish) --- none fits --> a new connection, which opens with the wish's model --.
 *           `-------- one fits ---> "load" that model, once the connection is open --------+--> ready
 *     prepare(host)    where there is none: one that the next new one takes, and that loads what every model needs meanwhile
 *     release(reason)  its calls are taken back, and the models that no other lease is for are unloaded;
 *                      the last lease closes the connection
 *
 * A connection fits a wish for the same files, engine, threads, limits, memory and persistent cache, if both would take
 * each direction from the same bundle. One interpreter, one engine worker, and one copy of each model's weights
 * serve all that share it; whose request is next is decided among all of them by their priorities, as it is among
 * those of one translator.
 *
 * A connection that closes is forgotten at once: all its leases end with its reason, and the next one opens
 * another. Where it was the opener's model that could not be opened, its guests try again by themselves
 * (`Lease.isOthersFault`).
 */

import { Silence } from "../base/silence.ts";
import type { CallTable } from "../calls/table.ts";
import { fromWire, toWire, type DragomanError } from "../wire/errors.ts";
import type { LoadingMessage, OfferedModel, OpenMessage } from "../wire/protocol.ts";
import { Connection, LONGEST_SILENCE, silenceError, type Host, type OnLoading } from "./connection.ts";

/** What a translator asks for. */
export interface Wish {
  readonly host: Host;
  /** What the workers are opened with, but for models. */
  readonly open: Omit<OpenMessage, "type" | "bundle" | "models">;
  /** The models of its way, one or two; the first is loaded at once. */
  readonly legs: readonly OfferedModel[];
  /** Those that may be loaded on demand, the legs among them. */
  readonly models: readonly OfferedModel[];
  readonly onloading: OnLoading;
}

/** A connection, what it is known by, and who uses it. */
class Shared {
  readonly key: string;
  readonly connection: Connection;
  readonly leases = new Set<Lease>();
  /** By direction; the first of a direction is the one that is taken. */
  readonly #bundles = new Map<string, string>();

  constructor(key: string, connection: Connection, { open, legs, models }: Wish) {
    this.key = key;
    this.connection = connection;
    connection.open({ ...open, bundle: legs[0]?.bundle ?? "", models });
  }

  fits(key: string, { models }: Wish): boolean {
    if (this.connection.isClosed || this.key !== key) return false;
    return [...byDirection(models)].every(([direction, bundle]) => (this.#bundles.get(direction) ?? bundle) === bundle);
  }

  lease(wish: Wish): Lease {
    for (const [direction, bundle] of byDirection(wish.models)) this.#bundles.set(direction, bundle);
    const lease = new Lease(this, wish, this.leases.size > 0);
    this.leases.add(lease);
    return lease;
  }
}

export class ConnectionPool {
  readonly #shared = new Set<Shared>();
  /** Not yet opened. */
  #prepared: { readonly place: string; readonly connection: Connection } | undefined;

  prepare(host: Host): void {
    const isThere = this.#prepared && !this.#prepared.connection.isClosed;
    if (isThere || this.#shared.size > 0) return;
    this.#prepared = { place: placeOf(host), connection: new Connection(host) };
  }

  lease(wish: Wish): Lease {
    const key = placeOf(wish.host) + JSON.stringify(wish.open);
    const fitting = [...this.#shared].find((shared) => shared.fits(key, wish));
    return (fitting ?? this.#open(key, wish)).lease(wish);
  }

  /** @throws DOMException "DataCloneError": what is asked for cannot be told to a worker. */
  #open(key: string, wish: Wish): Shared {
    const connection = this.#take(wish.host);
    try {
      const shared = new Shared(key, connection, wish);
      this.#shared.add(shared);
      void connection.closed.then(() => this.#shared.delete(shared));
      return shared;
    } catch (error) {
      connection.close(fromWire(toWire(error, "error"))); // Nobody else would end its workers.
      throw error;
    }
  }

  #take(host: Host): Connection {
    const { place, connection } = this.#prepared ?? {};
    if (!connection || connection.isClosed || place !== placeOf(host)) return new Connection(host);
    this.#prepared = undefined;
    return connection;
  }
}

/** A translator's share of a connection. */
export class Lease {
  readonly connection: Connection;
  /** Its own: others' calls are none of its business. */
  readonly calls: CallTable;
  /** Once translations of its first leg can start. */
  readonly ready: Promise<void>;
  readonly #legs: readonly OfferedModel[];
  readonly #shared: Shared;
  readonly #isGuest: boolean;
  #isReady = false;

  constructor(shared: Shared, wish: Wish, isGuest: boolean) {
    this.#shared = shared;
    this.#legs = wish.legs;
    this.#isGuest = isGuest;
    const { connection } = shared;
    this.connection = connection;
    let silence: Silence | undefined;
    this.calls = connection.join((message) => {
      silence?.heard();
      if (concerns(message, wish.legs)) wish.onloading(message);
    });
    if (isGuest) {
      silence = new Silence(LONGEST_SILENCE, () => {
        this.release(silenceError());
      });
      this.ready = this.#load(wish).finally(() => silence?.end());
    } else {
      this.ready = connection.ready.then(() => undefined);
    }
    const onready = (): void => { this.#isReady = true; };
    this.ready.then(onready, () => undefined); // It may be released before anyone has asked.
  }

  /** Nobody has to wait for `ready` any more. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether it could not become ready for a model that another one opened the connection with. */
  get isOthersFault(): boolean {
    return this.#isGuest && !this.connection.hasOpened;
  }

  /** What is under way rejects with `reason`. */
  release(reason: DragomanError | DOMException): void {
    if (!this.#shared.leases.delete(this)) return;
    this.connection.leave(this.calls, reason);
    const wanted = new Set([...this.#shared.leases].flatMap((lease) => lease.#legs.map(({ bundle }) => bundle)));
    for (const leg of this.#legs) if (!wanted.has(leg.bundle)) this.connection.unload(leg);
  }

  async #load({ legs: [first], models }: Wish): Promise<void> {
    if (first) await this.calls.load({ source: first.source, target: first.target, models });
  }
}

function placeOf({ base, urls }: Host): string {
  return JSON.stringify([base, urls]);
}

function concerns({ bundle }: LoadingMessage, legs: readonly OfferedModel[]): boolean {
  return bundle === undefined || legs.some((leg) => leg.bundle === bundle);
}

function byDirection(models: readonly OfferedModel[]): ReadonlyMap<string, string> {
  return new Map([...models].reverse().map(({ source, target, bundle }) => [`${source} ${target}`, bundle]));
}
