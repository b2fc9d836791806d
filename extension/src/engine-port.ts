/** Opens a port to the engine host, which the background makes sure is there. */

import { api } from "./api.ts";
import type { HostPort } from "./host-client.ts";
import { ENGINE_PORT, type ToBackground } from "./messages.ts";

export async function connectToEngine(): Promise<HostPort> {
  await api.runtime.sendMessage({ type: "wake" } satisfies ToBackground);
  return api.runtime.connect({ name: ENGINE_PORT });
}
