// No model was imported.
import { Translator } from "dragoman";

try {
  await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
} catch (error) {
  document.querySelector("output").textContent = `${error.code}: ${error.message}`;
}
