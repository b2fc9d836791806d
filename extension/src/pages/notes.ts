/** What of a page stayed as it is, and what can be done about it. */

import { api, counted } from "../api.ts";
import type { FrameState } from "../messages.ts";
import { byId } from "./localize.ts";

/** Origins for which the permission was seen to be given. */
const allowed = new Set<string>();

export function showNotes({ phase, foreign, closed }: FrameState): void {
  const isReady = phase === "translated";
  const shut = foreign.filter((origin) => !allowed.has(origin));
  for (const origin of shut) void look(origin);
  show("frames", isReady && shut.length > 0, counted("framesShut", shut.length));
  show("closed", isReady && closed > 0, counted("partsClosed", closed));
}

/** Call it from a click: ask for the frames' sites; whether they may be translated now. */
export async function askForFrames(foreign: readonly string[]): Promise<boolean> {
  const isAllowed = await api.permissions.request({ origins: foreign.map(patternOf) });
  if (isAllowed) for (const origin of foreign) allowed.add(origin);
  return isAllowed;
}

async function look(origin: string): Promise<void> {
  if (await api.permissions.contains({ origins: [patternOf(origin)] })) allowed.add(origin);
}

/** Permissions know no ports. */
function patternOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}/*`;
}

function show(id: string, isShown: boolean, text: string): void {
  byId(`${id}-note`).hidden = !isShown;
  byId(`${id}-text`).textContent = text;
}
