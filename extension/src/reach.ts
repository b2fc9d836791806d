/** Pages that no extension may touch, and what is said of them. */

const STORES = new Set(["chromewebstore.google.com", "addons.mozilla.org", "microsoftedge.microsoft.com"]);
const OLD_STORE = "chrome.google.com";

/**
 * The string that says why a page cannot be touched; null: nothing is known against it.
 *
 * @param url as far as the browser tells: of its own pages it may say nothing.
 */
export function refusalOf(url: string): string | null {
  if (!URL.canParse(url)) return "cannotBrowserPage";
  const { protocol, hostname, pathname } = new URL(url);
  if (STORES.has(hostname) || (hostname === OLD_STORE && pathname.startsWith("/webstore"))) return "cannotStore";
  if (/\.pdf$/i.test(pathname)) return "cannotPdf";
  if (protocol === "file:") return "cannotFile";
  return protocol === "http:" || protocol === "https:" ? null : "cannotBrowserPage";
}
