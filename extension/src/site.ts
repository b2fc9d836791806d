/** A site: the host of a page. */

/** As permissions name all of them. */
export const EVERY_SITE = "<all_urls>";

/** As permissions name one. */
export function originOf(site: string): string {
  return `*://${site}/*`;
}

/** Of an address or a host as a person types it; null: it is neither. */
export function siteIn(typed: string): string | null {
  const text = typed.trim();
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (text === "" || /\s/.test(text) || !URL.canParse(address)) return null;
  return hostOf(address);
}

/** Of a page's address; null: it is no page of the web. */
export function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? hostname : null;
}
