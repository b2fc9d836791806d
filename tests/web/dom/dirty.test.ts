import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { Dirty } from "../../../web/src/dom/dirty.ts";

const { document } = new JSDOM().window;

it("has each node once, by what happened to it", () => {
  const [parent, child, text] = [document.createElement("p"), document.createElement("b"), document.createTextNode("ja")];
  const dirty = new Dirty();
  dirty.addRun(parent);
  dirty.addChildren(parent, [child, text]);
  dirty.addText(text);
  dirty.addAttribute(child);
  const { runs, added, texts, attributes, scopes } = dirty.take();
  expect([[...runs], [...added], [...texts], [...attributes], [...scopes]]).toEqual([[parent, text], [child], [text], [child], []]);
});

it("looks at all of an element in which it changed what is translated", () => {
  const element = document.createElement("p");
  const dirty = new Dirty();
  dirty.addScope(element);
  const { runs, added, scopes } = dirty.take();
  expect([runs, added, scopes].map((nodes) => nodes.has(element))).toEqual([true, true, true]);
});

it("forgets what was taken, and changes nothing of it", () => {
  const [first, second] = [document.createElement("p"), document.createElement("p")];
  const dirty = new Dirty();
  dirty.addScope(first);
  const taken = dirty.take();
  dirty.addScope(second);
  expect([...taken.runs]).toEqual([first]);
  expect([...dirty.take().runs]).toEqual([second]);
  expect(Object.values(dirty.take()).map((nodes: ReadonlySet<Node>) => nodes.size)).toEqual([0, 0, 0, 0, 0]);
});
