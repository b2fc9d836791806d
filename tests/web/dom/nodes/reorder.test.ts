import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { longestIncreasing, placeInOrder } from "../../../../web/src/dom/nodes/reorder.ts";

const { document } = new JSDOM().window;

describe("longestIncreasing", () => {
  it.each([
    [[], []],
    [[5], [0]],
    [[2, 0, 1], [1, 2]],
    [[0, 1, 2, 3], [0, 1, 2, 3]],
    [[3, 2, 1, 0], [3]],
    [[3, 0, 4, 1, 5, 2], [1, 3, 5]],
    [[1, 1, 1], [2]], // strictly
  ])("of %j is at %j", (values, expected) => {
    expect(longestIncreasing(values)).toEqual(expected);
  });

  it("is as long as any that is found by trying all", () => {
    for (const values of orders(6)) {
      const found = longestIncreasing(values).map((at) => values[at] ?? 0);
      expect(found).toEqual([...found].sort((a, b) => a - b));
      expect(found.length).toBe(longestByTrying(values));
    }
  });
});

describe("placeInOrder", () => {
  it("puts children in any order, with as few moves as there can be", () => {
    for (const order of orders(5)) {
      const { parent, children } = page("abcde");
      const wanted = order.flatMap((at) => children[at] ?? []);
      const moves = [...placeInOrder(parent, wanted)].length;
      expect(parent.textContent).toBe(order.map((at) => "abcde"[at]).join(""));
      expect(moves).toBe(5 - longestByTrying(order));
    }
  });

  it("leaves others where they are", () => {
    const { parent, children } = page("a-b");
    const [a, , b] = children;
    const steps = [...placeInOrder(parent, [b, a] as ChildNode[])];
    expect(steps.length).toBe(1);
    expect(parent.textContent).toBe("ba-");
  });

  it("leaves out what the page takes away between two steps", () => {
    const { parent, children } = page("abcd");
    const [a, b, c, d] = children as [ChildNode, ChildNode, ChildNode, ChildNode];
    const steps = placeInOrder(parent, [d, c, b, a]);
    steps.next();
    c.remove();
    b.remove();
    while (!steps.next().done);
    expect(parent.textContent).toBe("da");
  });

  it("moves as the browser keeps the state of what it moves, where it can", () => {
    const { parent, children } = page("ab");
    const moved: unknown[][] = [];
    Object.assign(parent, { moveBefore: (...args: unknown[]) => void moved.push(args) });
    placeInOrder(parent, [children[1], children[0]] as ChildNode[]).next();
    expect(moved).toEqual([[children[1], children[0]]]);
  });
});

function page(text: string): { parent: Element; children: ChildNode[] } {
  const parent = document.createElement("p");
  for (const letter of text) parent.append(Object.assign(document.createElement("b"), { textContent: letter }));
  return { parent, children: [...parent.childNodes] };
}

/** All orders of the numbers below `count`. */
function orders(count: number): number[][] {
  if (count === 0) return [[]];
  return orders(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]));
}

function longestByTrying(values: readonly number[], least = -1): number {
  return values.reduce((best, value, at) =>
    value <= least ? best : Math.max(best, 1 + longestByTrying(values.slice(at + 1), value)), 0);
}
