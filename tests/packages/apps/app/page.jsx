"use client";
import { useEffect, useState } from "react";

/** Imported in the effect: a server that makes the page has nobody to translate for. */
async function greeting(signal) {
  const { Translator } = await import("dragoman");
  await import("dragoman-model-de-en");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en", signal });
  try {
    return await translator.translate("Guten Morgen!", { signal });
  } finally {
    translator.destroy();
  }
}

export default function Page() {
  const [text, setText] = useState("");
  useEffect(() => {
    const left = new AbortController();
    greeting(left.signal).then(setText, (error) => setText(`${error.code}: ${error.message}`));
    return () => left.abort();
  }, []);
  return <output>{text}</output>;
}
