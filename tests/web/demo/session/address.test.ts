import { describe, expect, it } from "vitest";
import { readAddress } from "../../../../web/demo/session/address.ts";

describe("readAddress", () => {
  it.each([
    ["#de/en/Guten%20Morgen", { source: "de", target: "en", text: "Guten Morgen" }],
    ["#zh-Hans/pt-BR/a/b%2Fc", { source: "zh-Hans", target: "pt-BR", text: "a/b/c" }],
    ["#de/en/100 % sicher", { source: "de", target: "en", text: "100 % sicher" }],
    ["#de/en/", { source: "de", target: "en", text: "" }],
    ["#de/en", undefined],
    ["#Abschnitt", undefined],
    ["", undefined],
  ])("reads %s", (hash, expected) => {
    expect(readAddress(hash)).toEqual(expected);
  });
});
