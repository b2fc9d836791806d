// What the standard says of `Translator`, case by case; the page shows what was found.
delete globalThis.Translator; // Chromium has one of its own.
await import("dragoman/polyfill");
await import("dragoman-model-de-en");

const pair = { sourceLanguage: "de", targetLanguage: "en" };
const named = async (work) => {
  try {
    return await work();
  } catch (error) {
    return error.name;
  }
};
const aborted = AbortSignal.abort();
const found = {};
const { Translator } = globalThis;

found.constructor = await named(() => new Translator());
found.availability = await Translator.availability(pair);
found.unknownPair = await Translator.availability({ sourceLanguage: "de", targetLanguage: "ja" });
found.region = await Translator.availability({ sourceLanguage: "de-AT", targetLanguage: "en-GB" });
found.noLanguages = await named(() => Translator.availability({}));
found.noTag = await named(() => Translator.availability({ sourceLanguage: "de", targetLanguage: "e?" }));
found.createUnknown = await named(() => Translator.create({ sourceLanguage: "de", targetLanguage: "ja" }));
found.createNothing = await named(() => Translator.create());
found.createAborted = await named(() => Translator.create({ ...pair, signal: aborted }));

const progress = [];
const translator = await Translator.create({
  ...pair,
  monitor(monitor) {
    monitor.addEventListener("downloadprogress", ({ loaded, total }) => progress.push([loaded, total]));
  },
});
found.progress = [progress[0], progress.at(-1)];
found.instance = translator instanceof Translator;
found.languages = [translator.sourceLanguage, translator.targetLanguage];
found.text = await translator.translate("Guten Morgen!");
found.empty = await translator.translate("");
found.blank = await translator.translate(" \n");
found.translateAborted = await named(() => translator.translate("Guten Morgen!", { signal: aborted }));
found.quota = translator.inputQuota > 0;
found.usage = await translator.measureInputUsage("Guten Morgen!");
found.streamed = (await Array.fromAsync(translator.translateStreaming("Guten Morgen!"))).join("");
found.kept = await Translator.availability(pair);
const waiting = named(() => translator.translate("Gute Nacht!"));
translator.destroy();
found.destroyed = [await waiting, await named(() => translator.translate("Guten Morgen!"))];
document.querySelector("output").textContent = JSON.stringify(found);
