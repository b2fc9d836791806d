// What the standard says of `LanguageDetector`, case by case; the page shows what was found.
delete globalThis.LanguageDetector; // Chromium has one of its own.
await import("dragoman/polyfill");

const named = async (work) => {
  try {
    return await work();
  } catch (error) {
    return error.name;
  }
};
const aborted = AbortSignal.abort();
const found = {};
const { LanguageDetector } = globalThis;

found.constructor = await named(() => new LanguageDetector());
found.availability = await LanguageDetector.availability();
found.known = await LanguageDetector.availability({ expectedInputLanguages: ["de", "en-US"] });
found.unknown = await LanguageDetector.availability({ expectedInputLanguages: ["de", "tlh"] });
found.noTag = await named(() => LanguageDetector.availability({ expectedInputLanguages: ["e?"] }));
found.createUnknown = await named(() => LanguageDetector.create({ expectedInputLanguages: ["tlh"] }));
found.createNoTag = await named(() => LanguageDetector.create({ expectedInputLanguages: [""] }));
found.createAborted = await named(() => LanguageDetector.create({ signal: aborted }));
found.monitorThrows = await named(() =>
  LanguageDetector.create({
    monitor() {
      throw new EvalError();
    },
  }),
);

const progress = [];
const detector = await LanguageDetector.create({
  expectedInputLanguages: ["EN-us", "de", "en-US"],
  monitor(monitor) {
    monitor.addEventListener("downloadprogress", ({ loaded, total }) => progress.push([loaded, total]));
  },
});
found.progress = progress;
found.instance = detector instanceof LanguageDetector;
found.expected = detector.expectedInputLanguages;
found.frozen = Object.isFrozen(detector.expectedInputLanguages);
found.nothingExpected = (await LanguageDetector.create()).expectedInputLanguages;
const results = await detector.detect("Guten Morgen, wo ist der Bahnhof?");
found.first = results[0].detectedLanguage;
found.last = results.at(-1).detectedLanguage;
found.descending = results.slice(0, -1).every(({ confidence }, at) => at === 0 || confidence <= results[at - 1].confidence);
found.sum = results.reduce((sum, { confidence }) => sum + confidence, 0) <= 1.01;
found.empty = (await detector.detect("")).map(({ detectedLanguage }) => detectedLanguage);
found.detectAborted = await named(() => detector.detect("Guten Morgen!", { signal: aborted }));
found.usage = await detector.measureInputUsage("Guten Morgen!");
found.quota = detector.inputQuota >= found.usage;
const controller = new AbortController();
const ended = await LanguageDetector.create({ signal: controller.signal });
controller.abort();
found.endedBySignal = await named(() => ended.detect("Guten Morgen!"));
detector.destroy();
found.destroyed = [await named(() => detector.detect("Hallo")), await named(() => detector.measureInputUsage("Hallo"))];
document.querySelector("output").textContent = JSON.stringify(found);
