/** What of a page is text to translate: tables, and nothing else. More of them are in `wire/contract.ts`. */

import { ATTRIBUTES, BUTTON_TYPES, META_NAMES, RIGHT_TO_LEFT } from "../../wire/contract.ts";

/** Never text, whatever they hold. */
export const IGNORED: ReadonlySet<string> = new Set([
  "script", "style", "template", "noscript", "noembed", "noframes", "link", "meta", "base", "head",
  "param", "source", "track", "area", "datalist", "metadata", "rp", "rt", "rtc",
  "dragoman-overlay", // Our own.
]);

/** A thing of its own in a line of text; what it holds is translated apart from it. */
export const ATOMS: ReadonlySet<string> = new Set([
  "img", "picture", "svg", "canvas", "input", "button", "select", "textarea", "meter", "progress", "wbr",
  "slot",
]);

/** Loses its state when it is moved, so it ends a unit and stays where it is. */
export const IMMOVABLE: ReadonlySet<string> = new Set([
  "iframe", "frame", "frameset", "video", "audio", "object", "embed", "applet", "marquee",
]);

/** Never part of a line, whatever their style says. */
export const BLOCKS: ReadonlySet<string> = new Set(["option", "optgroup", "desc", "foreignobject", "foreignObject"]);

/** What these hold is not looked at, except for their attributes. */
export const CLOSED: ReadonlySet<string> = new Set([
  "textarea", "canvas", "object", "embed", "applet", "iframe", "frame", "video", "audio", "img", "input",
]);

/** Computed `display` of elements that are part of the line that they stand in. */
export const INLINE_DISPLAYS: ReadonlySet<string> = new Set([
  "inline", "contents", "ruby", "ruby-base", "ruby-text", "inline-block", "inline flow-root",
]);

/** Computed `display` of boxes in a line whose insides are laid out by rules of their own. */
export const ATOMIC_DISPLAYS: ReadonlySet<string> = new Set([
  "none", "inline-flex", "inline-grid", "inline-table", "inline math", "inline flex", "inline grid",
]);

/** First families of icon fonts, whose letters are the names of pictures. */
export const ICON_FONT = /icon|symbol|awesome|glyph/i;

/** Attributes that people read on any element, and those that they read on some. */
const ON_ANY = ATTRIBUTES.filter(([, elements]) => elements.length === 0).map(([name]) => name);
const ON_SOME = ATTRIBUTES.filter(([, elements]) => elements.length > 0);

/** Attributes that may hold text: a change of one is worth a look. */
export const TEXT_ATTRIBUTES: readonly string[] = [
  ...ATTRIBUTES.map(([name]) => name), "value", "content",
];

/** Attributes that decide what is translated at all. */
export const SCOPE_ATTRIBUTES: readonly string[] = ["translate", "lang", "contenteditable"];

/** Those of an element that may be translated. */
export function attributesOf(element: Element): readonly string[] {
  const { localName } = element;
  const special = ON_SOME.filter(([, elements]) => elements.includes(localName)).map(([name]) => name);
  const names = [...ON_ANY, ...special].filter((name) => element.hasAttribute(name));
  const isOneOf = (names: ReadonlySet<string>, name: string): boolean => names.has((element.getAttribute(name) ?? "").toLowerCase());
  if (localName === "input" && isOneOf(BUTTON_TYPES, "type") && element.hasAttribute("value")) names.push("value");
  if (localName === "meta" && isOneOf(META_NAMES, "name") && element.hasAttribute("content")) names.push("content");
  return names;
}

const LETTER = /\p{L}/u;

/** Whether there is anything to translate in a text. */
export function hasLetters(text: string): boolean {
  return LETTER.test(text);
}

export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(primary(language)) ? "rtl" : "ltr";
}

/** "de" of "de-AT". */
export function primary(language: string): string {
  return (language.toLowerCase().split(/[-_]/)[0] ?? "").trim();
}
