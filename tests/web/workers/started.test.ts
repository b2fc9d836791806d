import { describe, expect, it, vi } from "vitest";
import { tellStarted } from "../../../web/src/workers/started.ts";

type Scope = Parameters<typeof tellStarted>[0];

function scope(locks: Partial<LockManager> | undefined): Scope {
  return { name: "language", navigator: { locks } } as unknown as Scope;
}

describe("tellStarted", () => {
  it("tells once the lock is held", async () => {
    const tell = vi.fn();
    const request = vi.fn((_name: string, held: () => unknown) => Promise.resolve(held()));
    await tellStarted(scope({ request } as unknown as LockManager), tell);
    expect(request.mock.calls[0]?.[0]).toBe("language");
    expect(tell).toHaveBeenCalledTimes(1);
  });

  it("tells nothing where there is no lock to be watched, and does not fail", async () => {
    const tell = vi.fn();
    await tellStarted(scope({ request: () => Promise.reject(new DOMException("denied", "SecurityError")) }), tell);
    await tellStarted(scope(undefined), tell);
    expect(tell).not.toHaveBeenCalled();
  });

  it("fails with what is no refusal", async () => {
    const request = () => Promise.reject(new TypeError("no name"));
    await expect(tellStarted(scope({ request }), () => undefined)).rejects.toThrow("no name");
  });
});
