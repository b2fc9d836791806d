/** Putting children in an order with as few moves as there can be. */

/**
 * Indices of a longest strictly increasing subsequence.
 *
 *     []            []
 *     [2, 0, 1]     [1, 2]     (the values 0, 1)
 */
export function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = []; // tails[n]: index of the smallest end of a run of length n + 1
  const previous: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  });
  const result: number[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) result.push(at);
  return result.reverse();
}

/** Whether the browser can move a node and keep its state (frames, focus, animations). */
interface Movable {
  moveBefore?: (node: Node, before: Node | null) => void;
}

function moveNode(parent: Node, node: Node, before: Node | null): void {
  const movable = parent as Node & Movable;
  if (movable.moveBefore) movable.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

/**
 * Children of `parent` that are not in `order` stay where they are. A step a move; what the page takes
 * out of the parent between two steps is left out.
 */
export function* placeInOrder(parent: Node, order: readonly ChildNode[]): Generator<undefined, void> {
  const current = new Map<Node, number>([...parent.childNodes].map((child, index) => [child, index]));
  const fixed = new Set(longestIncreasing(order.map((node) => current.get(node) ?? -1)));
  const isHere = (node: ChildNode | undefined): node is ChildNode => node?.parentNode === parent;
  const first = order.find((_, index) => fixed.has(index));
  let last: ChildNode | undefined;
  for (const [index, node] of order.entries()) {
    if (!isHere(node)) continue;
    if (!fixed.has(index)) {
      const before = isHere(last) ? last.nextSibling : isHere(first) ? first : null;
      if (before !== node) moveNode(parent, node, before);
      yield;
    }
    last = node;
  }
}
