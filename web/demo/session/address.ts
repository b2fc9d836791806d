/** A text in the page's address, `#de/en/Guten%20Morgen`: browsers send nothing after "#" to anybody. */

export interface AddressedText {
  /** BCP 47. */
  readonly source: string;
  readonly target: string;
  readonly text: string;
}

/** Undefined: there is none in it. */
export function readAddress(hash: string): AddressedText | undefined {
  const match = /^#([A-Za-z0-9-]+)\/([A-Za-z0-9-]+)\/(.*)$/s.exec(hash);
  const [, source, target, text] = match ?? [];
  if (source === undefined || target === undefined || text === undefined) return undefined;
  return { source, target, text: decoded(text) };
}

/** A "%" that stands for itself stays. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** What is typed from here on is another text than the address has. */
export function forgetAddress(): void {
  const address = new URL(location.href);
  address.searchParams.delete("open");
  address.hash = "";
  history.replaceState(null, "", address.pathname + address.search);
}
