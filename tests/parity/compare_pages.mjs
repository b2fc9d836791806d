// Judges translated pages with a parser that did not write them: reads a file of pairs of
// source and translation as JSON, and writes for each pair where the trees differ in more than text.
// With --moved, words took their elements along: each is still in the one that it was in, once, and
// blocks are in the order that they were in.
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

// Of these the order is kept; others are moved with their words.
const BLOCKS = new Set([
  "html", "head", "body", "title", "p", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "td",
  "th", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "nav", "header", "footer", "main", "form",
  "fieldset", "blockquote", "figure", "figcaption", "aside", "hr", "details", "summary",
]); // prettier-ignore

/** Each node, as the line of its own behind those of all that it is in; blocks are numbered. */
function* places(node, count = { blocks: 0 }, around = "", verbatim = false) {
  const [own] = lines({ ...node, childNodes: [], content: undefined }, verbatim);
  if (own === undefined) return;
  const number = BLOCKS.has(node.nodeName) ? String((count.blocks += 1)) : "";
  const path = `${around}\n${number} ${own}`;
  yield path;
  const inside = verbatim || VERBATIM.has(node.nodeName);
  for (const child of node.content?.childNodes ?? node.childNodes ?? []) yield* places(child, count, path, inside);
}

const isDocument = (html) => /<(!doctype|html|head|body)[\s/>]/i.test(html);

function difference([source, target]) {
  const read = isDocument(source) ? parse : parseFragment;
  const [before, after] = [source, target].map((html) => [...listed(read(html))]);
  const at = before.findIndex((line, index) => line !== after[index]);
  if (at < 0 && before.length === after.length) return "";
  return `${at}: ${before[at]} | ${after[at]}`;
}

const listed = process.argv.includes("--moved") ? (root) => [...places(root)].sort() : lines;
const pairs = JSON.parse(readFileSync(process.argv[2], "utf8"));
process.stdout.write(JSON.stringify(pairs.map(difference)));
