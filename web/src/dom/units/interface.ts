/** Which units are short texts of an interface: entries of menus, buttons, labels, and attributes that name things. */

import { isElement } from "../nodes/kinds.ts";
import type { Unit } from "./units.ts";

/** Elements that a page works by, or that stand in a menu. */
const INTERFACE = [
  "button", "label", "option", "optgroup", "summary", "legend", "nav", "menu",
  ..."button link tab menu menubar menuitem menuitemcheckbox menuitemradio navigation option switch checkbox radio toolbar tablist"
    .split(" ").map((role) => `[role="${role}"]`),
].join(",");
const MOST_WORDS = 4;

export function isInterfaceText({ type, container, block: { text } }: Unit): boolean {
  if (text.split(" ").length > MOST_WORDS || !isElement(container)) return false;
  return type === "attribute" ? container.localName !== "meta" : container.closest(INTERFACE) !== null;
}
