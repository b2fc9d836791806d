// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { PanelDialog } from "../../../web/demo/panel-dialog.ts";

const panel = { show: vi.fn(() => Promise.resolve()), take: vi.fn<(files: readonly File[]) => Promise<void>>(() => Promise.resolve()) };
const terms = new File(["Zug\ttrain"], "terms.tsv");
let isKnown: boolean;
let dialog: PanelDialog;

beforeEach(() => {
  isKnown = false;
  panel.show.mockClear();
  panel.take.mockClear();
  document.body.innerHTML = `<dialog><button class="close"></button><div class="own-files"></div></dialog>`;
  const element = document.querySelector("dialog") ?? document.createElement("dialog");
  element.showModal = () => { element.setAttribute("open", ""); };
  dialog = new PanelDialog(element, () => isKnown, () => panel);
});

it("keeps files that come before there are languages until there are", async () => {
  await dialog.take([terms]);
  expect([dialog.isOpen, panel.take.mock.calls]).toEqual([true, []]);
  isKnown = true;
  await dialog.known();
  await dialog.known();
  expect(panel.take.mock.calls).toEqual([[[terms]]]);
});

it("shows anew what was opened before there were languages", async () => {
  await dialog.known();
  expect(panel.show).not.toHaveBeenCalled();
  dialog.open();
  await dialog.known();
  expect(panel.show).toHaveBeenCalledTimes(2);
});
