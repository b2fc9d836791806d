// The files come from another origin, which `?from=` names; so does the list of models.
import { Translator } from "dragoman";

const baseUrl = new URLSearchParams(location.search).get("from");
const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en", baseUrl });
document.querySelector("output").textContent = await translator.translate("Guten Morgen!");
