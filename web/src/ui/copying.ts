/** A text to the clipboard, with its formatting where it has some. */

export interface Copied {
  readonly text: string;
  /** The same with its formatting. */
  readonly html?: string | undefined;
}

/** The part of a window that is used. `clipboard` is there only in what came over a secure connection. */
export interface CopyingView {
  readonly navigator: { readonly clipboard?: Pick<Clipboard, "write" | "writeText"> | undefined };
  readonly document: Document;
  readonly ClipboardItem?: typeof ClipboardItem | undefined;
}

/**
 * At a click or a key, which browsers ask for.
 *
 * @throws where the browser does not let us.
 */
export async function copy(copied: Copied, view: CopyingView = window): Promise<void> {
  const { navigator: { clipboard }, ClipboardItem: Item } = view;
  if (!clipboard) {
    copyByEvent(copied, view.document);
    return;
  }
  if (copied.html !== undefined && Item) {
    try {
      await clipboard.write([new Item({ "text/plain": blob(copied.text, "text/plain"), "text/html": blob(copied.html, "text/html") })]);
      return;
    } catch {
      // This browser takes plain text only.
    }
  }
  await clipboard.writeText(copied.text);
}

function blob(text: string, type: string): Blob {
  return new Blob([text], { type });
}

function copyByEvent({ text, html }: Copied, doc: Document): void {
  const fill = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation(); // The page has no say in it.
    event.clipboardData?.setData("text/plain", text);
    if (html !== undefined) event.clipboardData?.setData("text/html", html);
  };
  doc.addEventListener("copy", fill, { capture: true });
  try {
    // Deprecated, but the only way where there is no clipboard to ask.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    if (!doc.execCommand("copy")) throw new DOMException("the browser does not let it copy", "NotAllowedError");
  } finally {
    doc.removeEventListener("copy", fill, { capture: true });
  }
}
