import { describe, expect, it, vi } from "vitest";
import { acceptLaunches, readOpening, type LaunchParams } from "../../../../web/demo/session/opening.ts";

describe("readOpening", () => {
  it.each([
    ["?open=documents", "documents"],
    ["?lang=de&open=shared", "shared"],
    ["?open=history", "history"],
    ["?open=constructor", undefined],
    ["?open", undefined],
    ["", undefined],
  ])("reads %s", (search, expected) => {
    expect(readOpening(search)).toBe(expected);
  });
});

describe("acceptLaunches", () => {
  function launched(): { readonly launch: (params: LaunchParams) => void; readonly onopening: unknown; readonly onfiles: unknown; readonly onunreadable: unknown } {
    const targets = { onopening: vi.fn(), onfiles: vi.fn(), onunreadable: vi.fn() };
    let consumer: ((params: LaunchParams) => void) | undefined;
    acceptLaunches({ setConsumer: (given) => { consumer = given; } }, targets);
    return { launch: (params) => consumer?.(params), ...targets };
  }

  it("hands on the files that the app is opened with", async () => {
    const { launch, onfiles } = launched();
    const file = new File(["Hallo"], "brief.txt");
    launch({ files: [{ getFile: () => Promise.resolve(file) }] });
    await vi.waitFor(() => { expect(onfiles).toHaveBeenCalledExactlyOnceWith([file]); });
  });

  it("says so when one cannot be read", async () => {
    const { launch, onfiles, onunreadable } = launched();
    launch({ files: [{ getFile: () => Promise.reject(new DOMException("gone", "NotFoundError")) }] });
    await vi.waitFor(() => { expect(onunreadable).toHaveBeenCalledOnce(); });
    expect(onfiles).not.toHaveBeenCalled();
  });

  it("leaves the first address to the page, which has read it, and takes those that come later", () => {
    const { launch, onopening } = launched();
    launch({ targetURL: "https://example.org/?open=history", files: [] });
    expect(onopening).not.toHaveBeenCalled();
    launch({ targetURL: "https://example.org/?open=documents", files: [] });
    launch({ targetURL: "https://example.org/", files: [] });
    expect(onopening).toHaveBeenCalledExactlyOnceWith("documents");
  });

  it("does without where the browser has no launches", () => {
    const targets = { onopening: vi.fn(), onfiles: vi.fn(), onunreadable: vi.fn() };
    expect(() => { acceptLaunches(undefined, targets); }).not.toThrow();
  });
});
