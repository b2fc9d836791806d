/** A request between the page and the language worker. */

import { deferred } from "../base/deferred.ts";
import { fromWire } from "../wire/errors.ts";
import type { TranslationResponse } from "../wire/protocol.ts";
import type { Answer, Call } from "./call.ts";
import type { Ticket } from "./ticket.ts";

export class RequestCall implements Call {
  readonly #answer = deferred<TranslationResponse>();
  readonly #ticket: Ticket;

  constructor(ticket: Ticket) {
    this.#ticket = ticket;
  }

  get result(): Promise<TranslationResponse> {
    return this.#answer.promise;
  }

  receive(answer: Answer): boolean {
    if (answer.type === "progress") {
      const { state, done, total } = answer;
      this.#ticket.report({ state, done, total });
    }
    if (answer.type !== "settled") return false;
    if (answer.outcome.ok) this.#answer.resolve(answer.outcome.response);
    else this.#answer.reject(fromWire(answer.outcome.error));
    return true;
  }

  reject(reason: unknown): void {
    this.#answer.reject(reason);
  }
}
