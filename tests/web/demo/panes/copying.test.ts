// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CopyButton } from "../../../../web/demo/panes/copying.ts";

const writeText = vi.fn<(text: string) => Promise<void>>();
const told: string[] = [];
let button: HTMLButtonElement;
let copying: CopyButton;

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  writeText.mockReset().mockResolvedValue();
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  button = document.createElement("button");
  copying = new CopyButton(button, (text) => void told.push(text));
});

afterEach(() => {
  vi.useRealTimers();
});

it("says so on the button for a while from the last time on, and to a screen reader", async () => {
  await copying.copy("Good morning");
  vi.advanceTimersByTime(1_000);
  await copying.copy("Good morning");
  vi.advanceTimersByTime(1_000);
  expect([button.textContent, told]).toEqual(["Copied", ["Copied", "Copied"]]);
  vi.advanceTimersByTime(500);
  expect(button.textContent).toBe("Copy");
});

it("says that it was not allowed", async () => {
  writeText.mockRejectedValue(new DOMException("no", "NotAllowedError"));
  await copying.copy("Good morning");
  expect([button.textContent, told]).toEqual(["Not allowed", ["Not allowed"]]);
});

it("copies nothing where there is nothing", async () => {
  await copying.copy("");
  expect([writeText.mock.calls, told]).toEqual([[], []]);
});
