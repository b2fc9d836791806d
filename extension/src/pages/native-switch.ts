/** The switch for the engine of this computer, and whether there is one. */

import { NATIVE_HOST } from "../../../web/src/wire/contract.ts";
import { api, message } from "../api.ts";
import type { FromNative, ToNative } from "../native/messages.ts";
import { NATIVE_MESSAGING, Permission, switchNative } from "../permissions.ts";
import { byId } from "./localize.ts";

const HELLO: ToNative = { type: "hello" };

/**
 * Resolves once the switch can be used; what there is on this computer is told later.
 *
 * @param onswitched the engine is to be looked for anew.
 */
export async function startNativeSwitch(isOn: boolean, onswitched: () => void): Promise<void> {
  const permission = await Permission.of(NATIVE_MESSAGING);
  const box = byId<HTMLInputElement>("native");
  box.checked = isOn && permission.isGiven;
  const change = async (): Promise<void> => {
    box.checked = await switchNative(box.checked, permission);
    onswitched();
    await showStatus(box.checked);
  };
  box.addEventListener("change", () => void change());
  void showStatus(box.checked);
}

async function showStatus(isOn: boolean): Promise<void> {
  const status = byId("native-status");
  status.textContent = isOn ? message("nativeLooking") : "";
  if (isOn) status.textContent = await statusText();
}

/** Asked of a process that is started for it, and ends with its answer. */
async function statusText(): Promise<string> {
  try {
    const answer = await (api.runtime.sendNativeMessage(NATIVE_HOST, HELLO) as Promise<FromNative>);
    if (answer.type !== "ready" || answer.directions.length === 0) return message("nativeNoModels");
    return message("nativeFound", answer.release);
  } catch {
    return message("nativeMissing");
  }
}
