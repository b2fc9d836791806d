/** Files that are dropped anywhere on the page: models go to the library, TMX to the memories, all others are documents. */

const MEMORY = /\.tmx$/i;
/** What `dragoman models export` and publishers write. */
const MODEL = /\.(?:tar|gz|zst|spm|bin|intgemm\w*)$/i;

export interface DropTargets {
  /** Whether the panel of models is open: then everything is meant for it. */
  readonly isLibraryOpen: () => boolean;
  /** The same of memories. */
  readonly isMemoryOpen: () => boolean;
  readonly onmemories: (files: readonly File[]) => void;
  readonly onmodels: (files: readonly File[]) => void;
  readonly ondocuments: (files: readonly File[]) => void;
}

/** @param veil shown while files are held over the page. */
export function acceptDrops(veil: HTMLElement, { isLibraryOpen, isMemoryOpen, onmemories, onmodels, ondocuments }: DropTargets): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const hide = (): void => {
    delete veil.dataset["shown"];
  };
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    if (!isLibraryOpen() && !isMemoryOpen()) veil.dataset["shown"] = "";
    clearTimeout(hiding); // No event says reliably that they have left the window.
    hiding = setTimeout(hide, 300);
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault(); // Or the browser would open the file in place of the page.
    hide();
    const kindOf = ({ name }: File): "models" | "memories" | "documents" => {
      if (isLibraryOpen()) return "models";
      if (isMemoryOpen() || MEMORY.test(name)) return "memories";
      return MODEL.test(name) ? "models" : "documents";
    };
    const of = (kind: string): readonly File[] => files.filter((file) => kindOf(file) === kind);
    const [models, memories] = [of("models"), of("memories")];
    if (models.length) onmodels(models);
    if (memories.length) onmemories(memories);
    ondocuments(of("documents"));
  });
}
