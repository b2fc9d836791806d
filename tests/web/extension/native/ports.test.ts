import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NATIVE_PORT } from "../../../../extension/src/messages.ts";
import type { NativePort } from "../../../../extension/src/native/messages.ts";
import { FakeBrowser } from "../fakes.ts";

let browser: FakeBrowser;
let connect: () => Promise<NativePort | null>;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  const { relayedNative } = await import("../../../../extension/src/native/ports.ts");
  connect = relayedNative();
});
afterEach(() => { vi.unstubAllGlobals(); });

const port = (name: string, url = "chrome-extension://dragoman/background.js") => ({ name, sender: { id: "dragoman", url } });

it("each who asks for the engine of this computer gets a port of their own, so that each is closed", async () => {
  const [one, two] = [port(NATIVE_PORT), port(NATIVE_PORT)];
  const asked = [connect(), connect()];
  browser.connected.fire(one);
  browser.connected.fire(two);
  expect(await Promise.all(asked)).toEqual([one, two]);
  expect((await asked[0]) === (await asked[1])).toBe(false);
});

it("waits for the port where the answer comes first, and gets none where there is none", async () => {
  const asked = connect();
  await new Promise((resolve) => { setTimeout(resolve, 0); });
  const made = port(NATIVE_PORT);
  browser.connected.fire(port("engine"));
  browser.connected.fire(port(NATIVE_PORT, "https://example.org/"));
  browser.connected.fire(made);
  expect(await asked).toBe(made);
  browser.answer = () => Promise.resolve(false);
  expect(await connect()).toBeNull();
});
