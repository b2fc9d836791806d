/** The small print: speed, times and versions. */

import type { Route } from "../src/ui/directions.ts";
import type { TranslationResponse } from "../src/wire/protocol.ts";
import { formatNumber, formatSeconds, plural } from "./format.ts";
import { countWords } from "./words.ts";

export interface Surroundings {
  readonly route: Route | undefined;
  readonly loadSeconds: number | undefined;
  readonly threads: number;
}

/** "12 words in 0.05 s, 240 words a second" */
export function summary(text: string, seconds: number): string {
  const words = countWords(text);
  const speed = seconds > 0 && words > 0 ? `, ${plural(Math.round(words / seconds), "word")} a second` : "";
  return `${plural(words, "word")} in ${formatSeconds(seconds)}${speed}`;
}

export function rows(
  response: TranslationResponse | undefined,
  { route, loadSeconds, threads }: Surroundings,
): [name: string, value: string][] {
  const result: [string, string][] = [];
  for (const { name, version } of route?.legs ?? []) result.push(["Model", `${name} ${version}`]);
  if (loadSeconds !== undefined) result.push(["Ready after", formatSeconds(loadSeconds)]);
  result.push(["Threads", formatNumber(threads)]);
  if (!response) return result;
  const { queued, tokenize, engine, assemble } = response.timings;
  const sure = response.sentences.map(({ score }) => score);
  const mean = sure.reduce((sum, score) => sum + score, 0) / Math.max(1, sure.length);
  result.push(
    ["Sentences", formatNumber(response.sentences.length)],
    ["Mean score", mean.toFixed(2)],
    ["Waiting", formatSeconds(queued)],
    ["Splitting and tokenizing", formatSeconds(tokenize)],
    ["Translating", formatSeconds(engine)],
    ["Aligning and assembling", formatSeconds(assemble)],
  );
  return result;
}

export function renderRows(list: HTMLElement, entries: readonly [name: string, value: string][]): void {
  list.replaceChildren(
    ...entries.map(([name, value]) => {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const definition = document.createElement("dd");
      term.textContent = name;
      definition.textContent = value;
      row.append(term, definition);
      return row;
    }),
  );
}
