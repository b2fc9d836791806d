// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FetchBox } from "../../../../extension/src/pages/fetch-box.ts";
import type { ModelsClient } from "../../../../extension/src/pages/models-client.ts";
import type { Publisher } from "../../../../extension/src/pages/publisher.ts";
import { FakeBrowser } from "../fakes.ts";

let box: FetchBox;
beforeEach(async () => {
  new FakeBrowser().install();
  const made = await import("../../../../extension/src/pages/fetch-box.ts");
  const client = { post: () => undefined } as unknown as ModelsClient;
  box = new made.FetchBox({ source: "fr", target: "en" }, "French to English", client, { fetch: () => Promise.resolve(true) } as unknown as Publisher);
  document.body.replaceChildren(box.element);
});
afterEach(() => { vi.unstubAllGlobals(); });

it("keeps the focus on what can be pressed", () => {
  const name = (): string | undefined => document.activeElement?.className;
  box.show({ name: "offered", loaded: 0, total: 10 });
  box.element.querySelector<HTMLButtonElement>(".start")?.focus();
  box.show({ name: "fetching", loaded: 1, total: 10, isElsewhere: false });
  expect(name()).toBe("pause");
  box.show({ name: "fetching", loaded: 2, total: 10, isElsewhere: false });
  expect(name()).toBe("pause");
  box.show({ name: "paused", loaded: 2, total: 10 });
  expect(name()).toBe("start main");
});

it("takes the focus from nobody", () => {
  const other = document.createElement("input");
  document.body.append(other);
  other.focus();
  box.show({ name: "fetching", loaded: 1, total: 10, isElsewhere: false });
  expect(document.activeElement).toBe(other);
});
