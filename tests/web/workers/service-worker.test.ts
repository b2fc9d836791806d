import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

/** Not said where it is imported: its globals are none of a page's, and `web/src/workers/tsconfig.json` knows them. */
const SCRIPT = "../../../web/src/workers/service-worker.ts";
const SCOPE = "https://site.example/";

interface Happening {
  readonly request?: Request;
  respondWith?(answer: Promise<Response>): void;
  waitUntil?(work: Promise<unknown>): void;
}
type Listener = (event: Happening) => void;

const listeners = new Map<string, Listener>();
let storage: Partial<CacheStorage>;

beforeAll(async () => {
  vi.stubGlobal("VERSION", "1");
  vi.stubGlobal("PRECACHE", [{ path: "about.html", sha256: "0".repeat(64) }]);
  vi.stubGlobal("self", {
    registration: { scope: SCOPE },
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
  });
  vi.stubGlobal("caches", {
    has: (name: string) => storage.has?.(name),
    keys: () => Promise.resolve([]),
    open: (name: string) => storage.open?.(name),
    delete: (name: string) => storage.delete?.(name),
  });
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("from the network")));
  await import(SCRIPT);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

/** What a page gets. */
async function answerOf(request: Request): Promise<Response> {
  let answer: Promise<Response> | undefined;
  listeners.get("fetch")?.({ request, respondWith: (given) => { answer = given; } });
  if (!answer) throw new Error("it does not answer");
  return answer;
}

const full = (): Promise<never> => Promise.reject(new DOMException("no room", "QuotaExceededError"));

describe("the service worker", () => {
  it.each([
    ["gives up a new version that cannot be had whole", false, ["dragoman-shell-1"]],
    ["leaves what runs alone where a new script of the same version cannot be installed", true, []],
  ])("%s", async (_, isThere, deleted) => {
    const drop = vi.fn((name: string) => Promise.resolve(name !== ""));
    const match = () => Promise.resolve(undefined);
    storage = { has: () => Promise.resolve(isThere), delete: drop, open: () => Promise.resolve({ match } as unknown as Cache) };
    let installed: Promise<unknown> = Promise.resolve();
    listeners.get("install")?.({ waitUntil: (work) => { installed = work; } });
    await expect(installed).rejects.toThrow("about.html is of another version");
    expect(drop.mock.calls.map(([name]) => name)).toEqual(deleted);
  });

  it("answers with what is kept, whatever is asked of a page", async () => {
    const match = vi.fn(() => Promise.resolve(new Response("kept")));
    storage = { open: () => Promise.resolve({ match } as unknown as Cache) };
    expect(await (await answerOf(new Request(`${SCOPE}?open=history#de`))).text()).toBe("kept");
    expect(match.mock.calls).toEqual([[`${SCOPE}index.html`]]);
  });

  it("asks the network where the browser's storage fails, and adds the headers", async () => {
    storage = { open: () => Promise.reject(new DOMException("Internal error opening backing store", "UnknownError")) };
    const answer = await answerOf(new Request(`${SCOPE}about.html`));
    expect(await answer.text()).toBe("from the network");
    expect(answer.headers.get("Cross-Origin-Embedder-Policy")).toBe("require-corp");
  });

  it("opens the page also where there is no room for what was shared", async () => {
    vi.spyOn(Response, "redirect").mockImplementation((url) => new Response(null, { status: 303, headers: { location: String(url) } }));
    storage = { delete: () => Promise.resolve(false), open: () => Promise.resolve({ put: full } as unknown as Cache) };
    const body = new FormData();
    body.set("text", "Guten Tag");
    const answer = await answerOf(new Request(`${SCOPE}share`, { method: "POST", body }));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${SCOPE}?open=shared`]);
  });
});
