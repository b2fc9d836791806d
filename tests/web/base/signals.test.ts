import { expect, it, vi } from "vitest";
import { abortable } from "../../../web/src/base/signals.ts";

it("gives what the work gives", async () => {
  await expect(abortable(Promise.resolve(1), undefined)).resolves.toBe(1);
  await expect(abortable(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
});

it("rejects with the reason once the signal is aborted", async () => {
  const control = new AbortController();
  const waiting = abortable(new Promise(() => undefined), control.signal);
  control.abort("enough");
  await expect(waiting).rejects.toBe("enough");
});

it("leaves no failure unheard where it was aborted before", async () => {
  const unheard = vi.fn();
  process.on("unhandledRejection", unheard);
  const failed = Promise.reject(new Error("later"));
  await expect(abortable(failed, AbortSignal.abort("enough"))).rejects.toBe("enough");
  await new Promise((resolve) => { setImmediate(resolve); });
  process.off("unhandledRejection", unheard);
  expect(unheard).not.toHaveBeenCalled();
});
