/** A text to the clipboard, and the button that says so for a while. */

import { copy } from "../../src/ui/copying.ts";
import { say, type TextKey } from "../texts/texts.ts";

export async function copyText(button: HTMLElement, text: string): Promise<void> {
  if (!text) return;
  let said: TextKey = "target.copied";
  try {
    await copy({ text });
  } catch {
    said = "target.copy-refused";
  }
  button.textContent = say(said);
  setTimeout(() => {
    button.textContent = say("target.copy");
  }, 1_500);
}
