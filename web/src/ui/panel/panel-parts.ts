/**
 * What panels of a person's own files have in common: what is said, a list, and where files are dropped or chosen. It is
 * built into an empty element, in a page with whatever style.
 */

export interface PartsOptions {
  /** Of the list: its class. */
  readonly list: string;
  /** Endings of files, as `accept` has them. */
  readonly accept: string;
  readonly onfiles: (files: readonly File[]) => void;
  readonly problem: (error: unknown) => string;
}

export class PanelParts {
  readonly list: HTMLUListElement;
  readonly drop: HTMLElement;
  readonly #hint: HTMLElement;
  readonly #choose: HTMLButtonElement;
  readonly #problem: HTMLElement;
  readonly #said: HTMLElement;
  readonly #doc: Document;
  readonly #texts: PartsOptions["problem"];

  constructor(box: HTMLElement, { list, accept, onfiles, problem }: PartsOptions) {
    this.#doc = box.ownerDocument;
    this.#texts = problem;
    this.#problem = this.add("p", "notice problem error", box);
    this.#problem.setAttribute("role", "alert");
    this.#problem.hidden = true;
    this.#said = this.add("p", "fine faint", box);
    this.#said.setAttribute("role", "status");
    this.list = this.add("ul", list, box);
    this.drop = this.add("div", "drop", box);
    this.#hint = this.add("p", "", this.drop);
    this.#choose = this.button("plain choose", this.drop, () => { files.click(); });
    const files = this.add("input", "files", this.drop);
    Object.assign(files, { type: "file", accept, multiple: true, hidden: true });
    files.addEventListener("change", () => {
      const chosen = [...(files.files ?? [])];
      files.value = "";
      onfiles(chosen);
    });
  }

  /** What stands where files are dropped. */
  tell(hint: string, choose: string): void {
    this.#hint.textContent = hint;
    this.#choose.textContent = choose;
  }

  say(text: string): void {
    this.#said.textContent = text;
  }

  /** @returns whether it was done; else it is told why not. */
  async attempt(work: () => Promise<string>): Promise<boolean> {
    this.#problem.hidden = true;
    this.say("");
    try {
      this.say(await work());
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  fail(error: unknown): void {
    this.#problem.textContent = this.#texts(error);
    this.#problem.hidden = false;
  }

  /** As a file that the browser saves. */
  save(name: string, content: string, type: string): void {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = this.#doc.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => { URL.revokeObjectURL(url); }, 60_000);
  }

  button(className: string, parent: HTMLElement, onclick: () => void, text = "", label = ""): HTMLButtonElement {
    const button = this.add("button", className, parent, text);
    button.type = "button";
    if (label) button.setAttribute("aria-label", label);
    button.addEventListener("click", onclick);
    return button;
  }

  add<K extends keyof HTMLElementTagNameMap>(name: K, className: string, parent: HTMLElement, text = ""): HTMLElementTagNameMap[K] {
    const made = this.#doc.createElement(name);
    made.className = className;
    made.textContent = text;
    parent.append(made);
    return made;
  }
}
