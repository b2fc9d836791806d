// Judges translated pages with a parser that did not write them: reads a file of pairs of
// source and translation as JSON, and writes for each pair where the trees differ in more than text.
import { readFileSync } from "node:fs";

import { parse, parseFragment } from "parse5";

const TEXT_ATTRIBUTES = new Set([
  "abbr", "alt", "label", "placeholder", "title", "aria-label", "aria-description", "value",
  "content", "lang", "xml:lang", "dir", "charset",
]); // prettier-ignore
const VERBATIM = new Set(["script", "style", "noscript", "template", "iframe", "textarea", "xmp"]);

function* lines(node, verbatim = false) {
  if (node.nodeName === "#text") {
    if (verbatim) yield `text ${node.value}`;
    return;
  }
  if (node.nodeName === "#comment") yield `comment ${node.data}`;
  else if (node.nodeName === "#documentType") yield `doctype ${node.name} ${node.publicId}`;
  else {
    const attributes = (node.attrs ?? [])
      .filter(({ name }) => !TEXT_ATTRIBUTES.has(name))
      .map(({ name, value }) => `${name}=${value}`);
    yield `open ${node.nodeName} ${attributes.join(" ")}`;
  }
  const inside = verbatim || VERBATIM.has(node.nodeName);
  for (const child of node.content?.childNodes ?? node.childNodes ?? []) yield* lines(child, inside);
  yield "close";
}

const isDocument = (html) => /<(!doctype|html|head|body)[\s/>]/i.test(html);

function difference([source, target]) {
  const read = isDocument(source) ? parse : parseFragment;
  const [before, after] = [source, target].map((html) => [...lines(read(html))]);
  const at = before.findIndex((line, index) => line !== after[index]);
  if (at < 0 && before.length === after.length) return "";
  return `${at}: ${before[at]} | ${after[at]}`;
}

const pairs = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.stdout.write(JSON.stringify(pairs.map(difference)));
