/** All nodes of a tree, so that identities can be compared. */

/** Every node below a node, attributes and data with them: equal only for the same nodes. */
export type Snapshot = readonly (readonly [Node, string, readonly Node[]])[];

export function snapshot(root: Node): Snapshot {
  const nodes: [Node, string, Node[]][] = [];
  const visit = (node: Node): void => {
    const attributes = "attributes" in node ? [...(node as Element).attributes].map(({ name, value }) => `${name}=${value}`) : [];
    nodes.push([node, `${node.nodeName} ${node.nodeValue ?? ""} ${attributes.join(" ")}`, [...node.childNodes]]);
    node.childNodes.forEach(visit);
    const { shadowRoot } = node as Partial<Element>;
    if (shadowRoot) visit(shadowRoot);
  };
  visit(root);
  return nodes;
}

export function sameNodes(one: Snapshot, other: Snapshot): boolean {
  return (
    one.length === other.length &&
    one.every(([node, text, children], index) => {
      const [otherNode, otherText, otherChildren] = other[index] ?? [];
      return (
        node === otherNode &&
        text === otherText &&
        children.length === otherChildren?.length &&
        children.every((child, at) => child === otherChildren[at])
      );
    })
  );
}
