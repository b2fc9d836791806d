/** Texts to try, by source language. */

export interface Example {
  readonly title: string;
  readonly text: string;
}

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  de: [
    {
      title: "A walk",
      text:
        "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen. " +
        "Die Sonne schien, aber es war noch sehr kalt. " +
        "Auf einer Bank saß ein alter Mann und las die Zeitung.",
    },
    {
      title: "At the table",
      text:
        "Kannst du mir bitte das Salz geben? Das Essen schmeckt sehr gut, danke!\n\n" +
        "Wir haben noch Kuchen und Kaffee. Möchtest du ein Stück?",
    },
    {
      title: "A message",
      text:
        "Liebe Anna,\n\nich komme morgen mit dem Zug um halb neun an. " +
        "Wenn du Zeit hast, können wir zusammen frühstücken. Ich freue mich auf dich! 😊\n\nDein Tom",
    },
    {
      title: "Long sentence",
      text:
        "Obwohl er die ganze Nacht gearbeitet hatte und sehr müde war, ging er am nächsten Tag ins Büro, " +
        "weil er seinem Chef versprochen hatte, den Bericht noch vor dem Wochenende fertig zu schreiben.",
    },
  ],
};
