import { expect, it } from "vitest";
import { hostOf, siteIn } from "../../../extension/src/site.ts";

it.each([
  ["example.org", "example.org"],
  [" https://www.Example.org/a?b ", "www.example.org"],
  ["localhost:8080", "localhost"],
  ["müller.example", "xn--mller-kva.example"],
  ["", null],
  ["two words", null],
  ["ftp://example.org", null],
])("%o is the site %o", (typed, site) => {
  expect(siteIn(typed)).toBe(site);
});

it("is of a page of the web only", () => {
  expect(hostOf("http://127.0.0.1:8000/a")).toBe("127.0.0.1");
  expect(hostOf("chrome-extension://abc/popup.html")).toBe(null);
  expect(hostOf("")).toBe(null);
});
