/** How far a page is, on the button in the toolbar. */

import { api } from "../api.ts";
import type { FrameState } from "../messages.ts";

const COLOURS = { plain: "#0d675f", bad: "#a3271f" };

export async function showBadge(tabId: number, { phase, total, done, failed }: FrameState): Promise<void> {
  const isBad = failed > 0 && phase === "translated";
  await api.action.setBadgeBackgroundColor({ tabId, color: isBad ? COLOURS.bad : COLOURS.plain });
  await api.action.setBadgeText({ tabId, text: badgeOf({ phase, total, done, failed }) });
}

/** Worked: translating "…", all of it "✓", some of it failed "!", nothing to translate or given back "". */
export function badgeOf({ phase, done, failed }: Pick<FrameState, "phase" | "total" | "done" | "failed">): string {
  if (phase === "translating" || phase === "paused") return "…";
  if (phase !== "translated") return "";
  if (failed > 0) return "!";
  return done > 0 ? "✓" : "";
}

export async function showFailure(tabId: number): Promise<void> {
  await api.action.setBadgeBackgroundColor({ tabId, color: COLOURS.bad });
  await api.action.setBadgeText({ tabId, text: "!" });
}
