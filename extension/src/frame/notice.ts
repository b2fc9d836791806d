/** A sentence on the page, where what was asked for was not done. */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { message, ownLanguage } from "../api.ts";

export function sayOnPage(doc: Document, text: string): void {
  const overlay = new Overlay(doc, { role: "dialog", label: message("offerTitle"), language: ownLanguage() });
  // It does not take the focus: it is read aloud all the same.
  overlay.element("p", { text }).setAttribute("role", "alert");
  const row = overlay.element("div", { className: "row" });
  overlay.button(message("close"), () => { overlay.close(); }, { main: true, parent: row });
  overlay.moveTo({ left: innerWidth, top: 0, bottom: 0 });
  overlay.closeByEscape();
}
