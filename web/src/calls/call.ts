/** A call to the language worker, as the table of calls sees it. */

import type { LanguageToPage } from "../wire/protocol.ts";

/** What the worker says of a call. */
export type Answer = Extract<LanguageToPage, { readonly id: number }>;

export type StatisticsAnswer = Extract<Answer, { readonly type: "statistics" }>;

/** A call in the table. It ends by its last message or by `reject`, never by both. */
export interface Call {
  /** Take a message; returns whether it was the last. */
  receive(answer: Answer): boolean;
  reject(reason: unknown): void;
}
