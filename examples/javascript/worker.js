// A module worker of your own: new Worker("worker.js", { type: "module" }). It answers each text with its translation.
import { Translator } from "./node_modules/dragoman/dist/index.js";
import "./node_modules/dragoman-model-de-en/index.js";

const opened = Translator.create({ sourceLanguage: "de", targetLanguage: "en" });

self.addEventListener("message", async ({ data: text }) => {
  const translator = await opened;
  self.postMessage(await translator.translate(text));
});
