/** Texts to try, by source language. */

import { say, type TextKey } from "./texts/texts.ts";

interface Example {
  readonly title: TextKey;
  readonly text: string;
}

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  de: [
    {
      title: "example.walk",
      text:
        "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen. " +
        "Die Sonne schien, aber es war noch sehr kalt. " +
        "Auf einer Bank saß ein alter Mann und las die Zeitung.",
    },
    {
      title: "example.table",
      text:
        "Kannst du mir bitte das Salz geben? Das Essen schmeckt sehr gut, danke!\n\n" +
        "Wir haben noch Kuchen und Kaffee. Möchtest du ein Stück?",
    },
    {
      title: "example.message",
      text:
        "Liebe Anna,\n\nich komme morgen mit dem Zug um halb neun an. " +
        "Wenn du Zeit hast, können wir zusammen frühstücken. Ich freue mich auf dich! 😊\n\nDein Tom",
    },
    {
      title: "example.long",
      text:
        "Obwohl er die ganze Nacht gearbeitet hatte und sehr müde war, ging er am nächsten Tag ins Büro, " +
        "weil er seinem Chef versprochen hatte, den Bericht noch vor dem Wochenende fertig zu schreiben.",
    },
  ],  en: [
    {
      title: "example.walk",
      text:
        "I got up early this morning and went to the park with the dog. The sun was shining, but it was still very cold. " +
        "An old man sat on a bench and read the newspaper.",
    },
    {
      title: "example.table",
      text:
        "Can you pass me the salt, please? The food is very good, thank you!\n\n" +
        "There is still some cake and coffee. Would you like a piece?",
    },
    {
      title: "example.message",
      text:
        "Dear Anna,\n\nmy train arrives tomorrow at half past eight. If you have time, we can have breakfast together. " +
        "I look forward to seeing you! 😊\n\nTom",
    },
  ],
};

/** What there is to try in a language: a label, and a button each; nothing where there is nothing. */
export function exampleButtons(language: string, onchosen: (text: string) => void): readonly HTMLElement[] {
  const buttons = (EXAMPLES[language] ?? []).map(({ title, text }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = say(title);
    button.addEventListener("click", () => { onchosen(text); });
    return button;
  });
  if (!buttons.length) return [];
  const label = document.createElement("span");
  label.textContent = say("examples.try");
  return [label, ...buttons];
}
