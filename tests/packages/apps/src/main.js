import { Translator } from "dragoman";
import "dragoman-model-de-en";

const output = document.querySelector("output");
try {
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  output.textContent = await translator.translate("Guten Morgen!");
} catch (error) {
  output.textContent = `${error.code}: ${error.message}`;
}
