/**
 * What another app shared with the installed one, from the service worker to the page.
 *
 *     POST ./share --service worker--> keepShared --> 303 ./?open=shared --page--> takeShared, and nothing is kept
 *
 * It is never sent to the site's server. `web/manifest.mjs` names the fields of the form.
 */

import { SHARED_CACHE } from "./caches.ts";

export interface Shared {
  /** Empty: none was shared. */
  readonly text: string;
  readonly documents: readonly File[];
}

const NAME_HEADER = "x-dragoman-name";

/** What was shared before and never taken gives way. */
export async function keepShared(form: FormData, storage: CacheStorage = caches): Promise<void> {
  await storage.delete(SHARED_CACHE);
  const cache = await storage.open(SHARED_CACHE);
  const documents = form.getAll("documents").filter((value) => value instanceof File);
  await Promise.all([
    cache.put(addressOf("text"), new Response(textOf(form))),
    ...documents.map((file, place) =>
      cache.put(
        addressOf(`documents/${place}`),
        new Response(file, { headers: { "content-type": file.type, [NAME_HEADER]: encodeURIComponent(file.name) } }),
      )),
  ]);
}

/** What is there; it is there once. */
export async function takeShared(storage: CacheStorage = caches): Promise<Shared> {
  const cache = await storage.open(SHARED_CACHE);
  const text = await (await cache.match(addressOf("text")))?.text();
  const documents: File[] = [];
  for (let place = 0; ; place++) {
    const response = await cache.match(addressOf(`documents/${place}`));
    if (!response) break;
    const name = decodeURIComponent(response.headers.get(NAME_HEADER) ?? "");
    documents.push(new File([await response.blob()], name));
  }
  await storage.delete(SHARED_CACHE);
  return { text: text ?? "", documents };
}

/** A title or an address alone is what was shared; beside a text they only say where it is from. */
function textOf(form: FormData): string {
  const fields = ["text", "title", "url"].map((name) => form.get(name));
  return fields.find((field) => typeof field === "string" && field.trim() !== "") as string | undefined ?? "";
}

function addressOf(name: string): string {
  return `https://shared.invalid/${name}`;
}
