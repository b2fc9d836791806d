/** What kind of node one is: those of frames are of their own window's classes, so no `instanceof`. */

export function isElement(node: Node): node is Element {
  return node.nodeType === node.ELEMENT_NODE;
}

export function isText(node: Node): node is Text {
  return node.nodeType === node.TEXT_NODE;
}
