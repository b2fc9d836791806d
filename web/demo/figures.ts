/** The small print: speed, times and versions. */

import type { Route } from "../src/ui/directions.ts";
import type { TranslationResponse } from "../src/wire/protocol.ts";
import { formatNumber, formatScore, formatSeconds } from "./texts/format.ts";
import { plural, say } from "./texts/texts.ts";
import { countWords } from "../src/ui/words/words.ts";

export interface Surroundings {
  readonly route: Route | undefined;
  readonly loadSeconds: number | undefined;
  readonly threads: number;
}

/** "12 words in 0.05 s, 240 words a second" */
export function summary(text: string, seconds: number): string {
  const words = countWords(text);
  const speed = seconds > 0 && words > 0 ? say("details.rate", { words: plural(Math.round(words / seconds), "word") }) : "";
  return `${say("details.speed", { words: plural(words, "word"), time: formatSeconds(seconds) })}${speed}`;
}

export function rows(
  response: TranslationResponse | undefined,
  { route, loadSeconds, threads }: Surroundings,
): [name: string, value: string][] {
  const result: [string, string][] = [];
  for (const { name, version } of route?.legs ?? []) result.push([say("details.model"), `${name} ${version}`]);
  if (loadSeconds !== undefined) result.push([say("details.ready-after"), formatSeconds(loadSeconds)]);
  result.push([say("details.threads"), formatNumber(threads)]);
  if (!response) return result;
  const { queued, tokenize, engine, assemble } = response.timings;
  const sure = response.sentences.map(({ score }) => score);
  const mean = sure.reduce((sum, score) => sum + score, 0) / Math.max(1, sure.length);
  result.push(
    [say("details.sentences"), formatNumber(response.sentences.length)],
    [say("details.score"), formatScore(mean, 2)],
    [say("details.waiting"), formatSeconds(queued)],
    [say("details.splitting"), formatSeconds(tokenize)],
    [say("details.translating"), formatSeconds(engine)],
    [say("details.aligning"), formatSeconds(assemble)],
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
