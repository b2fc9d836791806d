import { describe, expect, it } from "vitest";
import { siteStorage, type SiteScope } from "../../../../web/demo/page/site-storage.ts";

const blocked: SiteScope = {
  get localStorage(): never {
    throw new DOMException("The operation is insecure.", "SecurityError");
  },
  get sessionStorage(): never {
    throw new DOMException("The operation is insecure.", "SecurityError");
  },
};

describe("the storage of a site", () => {
  it("is the page's own where all site data is blocked", () => {
    const storage = siteStorage(blocked, "sessionStorage");
    storage.setItem("text", "Guten Morgen!");
    expect(storage.getItem("text")).toBe("Guten Morgen!");
    storage.removeItem("text");
    expect(storage.getItem("text")).toBeNull();
    expect(siteStorage(blocked, "localStorage").getItem("text")).toBeNull();
  });

  it("is the browser's where it may be used", () => {
    const own = siteStorage(blocked, "localStorage");
    expect(siteStorage({ localStorage: own, sessionStorage: own }, "localStorage")).toBe(own);
  });
});
