// Node 20 and newer: node node.mjs [TEXT]
import { Translator } from "dragoman";
import "dragoman-model-de-en";

const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
console.log(await translator.translate(process.argv[2] ?? "Guten Morgen!"));
