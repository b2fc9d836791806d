/** What of a page is text to translate: tables, and nothing else. */

/** Never text, whatever they hold. */
export const IGNORED: ReadonlySet<string> = new Set([
  "script", "style", "template", "noscript", "noembed", "noframes", "link", "meta", "base", "head",
  "param", "source", "track", "area", "datalist", "metadata", "rp", "rt", "rtc",
  "dragoman-overlay", // Our own.
]);

/** Text that is shown as it is: one unbreakable word inside of a sentence. */
export const OPAQUE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "var", "dir", "acronym", "math"]);

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

/** Attributes that people read, and the elements on which they do; "*" is any. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  "*": [
    "title", "aria-label", "aria-description", "aria-placeholder", "aria-roledescription", "aria-valuetext",
    "aria-brailleroledescription", "aria-braillelabel", "aria-colindextext", "aria-rowindextext",
  ],
  th: ["abbr"],
  area: ["alt"],
  img: ["alt"],
  input: ["alt", "placeholder"],
  textarea: ["placeholder"],
  track: ["label"],
  optgroup: ["label"],
  option: ["label"],
};

/** Kinds of `<input>` whose value is a caption that is never sent. */
const CAPTIONED: ReadonlySet<string> = new Set(["button", "reset"]);
const META_NAMES: ReadonlySet<string> = new Set(["description", "keywords"]);

/** Attributes that may hold text: a change of one is worth a look. */
export const TEXT_ATTRIBUTES: readonly string[] = [
  ...new Set([...Object.values(ATTRIBUTES).flat(), "value", "content"]),
];

/** Attributes that decide what is translated at all. */
export const SCOPE_ATTRIBUTES: readonly string[] = ["translate", "lang", "contenteditable"];

/** Selects every element that may have an attribute to translate. */
export function attributesOf(element: Element): readonly string[] {
  const name = element.localName;
  const special = ATTRIBUTES[name];
  const names = ATTRIBUTES["*"] ?? [];
  const found = (special ? [...names, ...special] : names).filter((attribute) => element.hasAttribute(attribute));
  if (name === "input" && CAPTIONED.has((element.getAttribute("type") ?? "").toLowerCase())) {
    if (element.hasAttribute("value")) found.push("value");
  } else if (name === "meta" && META_NAMES.has((element.getAttribute("name") ?? "").toLowerCase())) {
    if (element.hasAttribute("content")) found.push("content");
  }
  return found;
}

const LETTER = /\p{L}/u;

/** Whether there is anything to translate in a text. */
export function hasLetters(text: string): boolean {
  return LETTER.test(text);
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["ar", "dv", "fa", "he", "iw", "ks", "ku", "ps", "sd", "ug", "ur", "yi"]);

export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(primary(language)) ? "rtl" : "ltr";
}

/** "de" of "de-AT". */
export function primary(language: string): string {
  return (language.toLowerCase().split(/[-_]/)[0] ?? "").trim();
}
