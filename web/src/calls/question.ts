/** A message that has one answer. */

import { deferred } from "../base/deferred.ts";
import type { Answer, Call } from "./call.ts";

/** `T` is the type of the answer. */
export class Question<T extends Answer["type"]> implements Call {
  readonly answer = deferred<Extract<Answer, { type: T }>>();
  readonly #type: T;

  constructor(type: T) {
    this.#type = type;
  }

  receive(answer: Answer): boolean {
    if (!isOf(answer, this.#type)) return false;
    this.answer.resolve(answer);
    return true;
  }

  reject(reason: unknown): void {
    this.answer.reject(reason);
  }
}

function isOf<T extends Answer["type"]>(answer: Answer, type: T): answer is Extract<Answer, { type: T }> {
  return answer.type === type;
}
