/** Files that are dropped anywhere on the page: models go to the library, TMX to the memories, TBX to the glossary, all others are documents. */

const MEMORY = /\.tmx$/i;
const GLOSSARY = /\.tbx$/i;
/** What `dragoman models export` and publishers write. */
const MODEL = /\.(?:tar|gz|zst|spm|bin|intgemm\w*)$/i;

type Kind = "models" | "memories" | "terms";

export interface DropTargets {
  /** Which panel is open: everything is meant for it. */
  readonly open: () => Kind | undefined;
  readonly take: Readonly<Record<Kind | "documents", (files: readonly File[]) => void>>;
}

/** @param veil shown while files are held over the page. */
export function acceptDrops(veil: HTMLElement, { open, take }: DropTargets): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const hide = (): void => {
    delete veil.dataset["shown"];
  };
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    if (!open()) veil.dataset["shown"] = "";
    clearTimeout(hiding); // No event says reliably that they have left the window.
    hiding = setTimeout(hide, 300);
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault(); // Or the browser would open the file in place of the page.
    hide();
    const panel = open();
    const kinds = files.map((file) => panel ?? kindOf(file));
    for (const kind of new Set(kinds)) take[kind](files.filter((_, at) => kinds[at] === kind));
  });
}

function kindOf({ name }: File): Kind | "documents" {
  if (MEMORY.test(name)) return "memories";
  if (GLOSSARY.test(name)) return "terms";
  return MODEL.test(name) ? "models" : "documents";
}
