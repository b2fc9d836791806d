/** What files of a person's own are read with, whatever is in them. */

/** UTF-8, or UTF-16 that says so; undefined: it is neither. */
export function decoded(bytes: ArrayBuffer): string | undefined {
  const [first, second] = new Uint8Array(bytes);
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** @throws what `invalid` gives for a reason, "entities" or "xml". */
export function readXml(text: string, invalid: (reason: "entities" | "xml", message: string) => Error): Document {
  // Before it is parsed: entities of entities fill the memory.
  if (/<!ENTITY/i.test(text)) throw invalid("entities", "it declares entities, which nothing here needs");
  const xml = new DOMParser().parseFromString(text.replace(/^\uFEFF/, ""), "application/xml");
  if (xml.getElementsByTagName("parsererror").length > 0) throw invalid("xml", "it is not XML");
  return xml;
}
