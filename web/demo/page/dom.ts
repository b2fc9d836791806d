/** Elements, found and made. */

/** What is in a part of the page, by selector and type. */
export function within<T extends HTMLElement>(part: HTMLElement, selector: string, type: new () => T): T {
  const element = part.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`#${part.id} has no ${selector}`);
  return element;
}

export function element(name: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** A quiet button; `label` where its text alone does not say what it is about. */
export function namedButton(text: string, label: string, onclick: () => unknown): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = text;
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", () => void onclick());
  return made;
}
