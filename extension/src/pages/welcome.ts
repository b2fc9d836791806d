/** After the extension was installed: what it does, and a box to try it. */

import { LiveTranslation } from "../../../web/src/ui/live.ts";
import { api, languageName, message, ownLanguage, shortcut } from "../api.ts";
import { detectText } from "../detect-tab.ts";
import { connectToEngine } from "../engine-port.ts";
import { errorText } from "../errors.ts";
import { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";
import { byId, localize } from "./localize.ts";

/** The packed models. */
const TO_GERMAN: Pair = { source: "en", target: "de" };
const TO_ENGLISH: Pair = { source: "de", target: "en" };

async function start(): Promise<void> {
  localize(document);
  const keys = await shortcut();
  byId("shortcut").textContent = keys ? message("howShortcut", keys) : "";
  byId("shortcut").hidden = keys === "";
  byId("pin").textContent = message(location.protocol === "moz-extension:" ? "pinHow_firefox" : "pinHow_chrome");
  byId("options").addEventListener("click", () => void api.runtime.openOptionsPage());
  tryIt();
}

function tryIt(): void {
  const engine = new HostClient(connectToEngine);
  const field = byId<HTMLTextAreaElement>("text");
  const output = byId("translation");
  const own = ownLanguage() === "de" ? TO_ENGLISH : TO_GERMAN;
  const live = new LiveTranslation(
    async (text, { signal }) => {
      const { language } = await detectText(text);
      const pair = [TO_GERMAN, TO_ENGLISH].find(({ source }) => source === language) ?? own;
      byId("direction").textContent = message("fromTo", languageName(pair.source), languageName(pair.target));
      output.lang = pair.target;
      return engine.translate(pair, text, signal);
    },
    (state) => {
      if (state.name === "empty") output.textContent = "";
      else if (state.name === "done") output.textContent = state.response.text;
      else if (state.name === "failed") output.textContent = errorText(state.error);
      else output.textContent ||= message("starting");
    },
  );
  field.value = message("tryExample");
  // Nothing is loaded before somebody tries.
  field.addEventListener("input", () => { live.update(field.value); });
  byId("try").addEventListener("click", () => void live.now(field.value));
}

void start();
