import { afterEach, expect, it, vi } from "vitest";
import { FakeBrowser, flush } from "../fakes.ts";

afterEach(() => { vi.unstubAllGlobals(); });

it("what was asked over a port that closes is not left waiting, and is asked anew over another one", async () => {
  const browser = new FakeBrowser();
  browser.install();
  const { ModelsClient } = await import("../../../../extension/src/pages/models-client.ts");
  const failures: unknown[] = [];
  const client = new ModelsClient({ ondownload: () => undefined, onchanged: () => undefined, onfailed: (error) => failures.push(error) });
  client.post({ type: "changed" });
  await flush();
  const [port] = browser.ports;
  if (!port) throw new Error("no port");
  port.postMessage = () => undefined; // It falls asleep before it answers.
  const asked = client.offers();
  await flush();
  port.onDisconnect.fire();
  await expect(asked).rejects.toMatchObject({ code: "worker-gone" });
  expect(failures.length).toBe(1);
  expect(await client.offers()).toEqual([]);
  expect(browser.ports.length).toBe(2);
});
