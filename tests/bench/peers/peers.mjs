// The browser's half of peers.py: two translators behind one small interface.
//
//     translate(texts) -> texts    one call, all of them
//     close()
//
// Each is used as its publishers meant it: ours by the public Translator of the built files, the
// other by the messages of its worker (translator-worker.js of @browsermt/bergamot-translator).

const PAIR = { from: "de", to: "en" };

/** Ours: each text is a request; they share mini-batches. No text comes twice. */
export async function ours({ threads, pair = PAIR, cache = true, beam = 1 }) {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({
    sourceLanguage: pair.from,
    targetLanguage: pair.to,
    threads,
  });
  return {
    translate: (texts) => Promise.all(texts.map((text) => translator.translate(text, { cache, beam }))),
    detailed: (text) => translator.translateDetailed(text, { alignment: "none", beam }),
    close: () => translator.destroy(),
  };
}

/** Theirs, as published: SIMD, one thread, no cache, its own sentence splitter. */
export async function bergamot({ config = {}, pair = PAIR }) {
  const worker = new globalThis.Worker("/bergamot/worker/translator-worker.js");
  const waiting = new Map();
  let serial = 0;
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message));
    waiting.clear();
  };
  const call = (name, ...args) =>
    new Promise((resolve, reject) => {
      serial += 1;
      waiting.set(serial, { resolve, reject });
      worker.postMessage({ id: serial, name, args });
    });
  const file = async (name) => (await fetch(`/marian/${name}`)).arrayBuffer();
  await call("initialize", { cacheSize: 0 });
  const [model, vocabulary, shortlist] = await Promise.all([
    file("model.bin"),
    file("vocabulary.spm"),
    file("shortlist.bin"),
  ]);
  await call("loadTranslationModel", pair, { model, shortlist, vocabs: [vocabulary], config });
  return {
    async translate(texts) {
      const requests = texts.map((text) => ({ text, html: false, qualityScores: false }));
      const found = await call("translate", { models: [pair], texts: requests });
      return found.map(({ target }) => target.text);
    },
    close: () => worker.terminate(),
  };
}

export const PEERS = { ours, bergamot };

/** All texts, so many a call. */
export async function translateAll({ peer, options, texts, perCall }) {
  const translator = await PEERS[peer](options);
  const found = [];
  for (let start = 0; start < texts.length; start += perCall) {
    found.push(...(await translator.translate(texts.slice(start, start + perCall))));
  }
  translator.close();
  return found;
}

// --- translators that stay open, for interleaved runs ------------------------------------------

const open_ = new Map();

/** Resolves to the milliseconds until it can translate. */
export async function open({ name, peer, options }) {
  const start = performance.now();
  open_.set(name, await PEERS[peer](options));
  return performance.now() - start;
}

export function shut({ name }) {
  open_.get(name)?.close();
  open_.delete(name);
}

/** Translations, and the milliseconds of each call. */
export async function run({ name, texts, perCall }) {
  const translator = open_.get(name);
  const found = [];
  const milliseconds = [];
  for (let start = 0; start < texts.length; start += perCall) {
    const begin = performance.now();
    found.push(...(await translator.translate(texts.slice(start, start + perCall))));
    milliseconds.push(performance.now() - begin);
  }
  return { texts: found, milliseconds };
}

/** Ours only: seconds by stage, as its responses say, one text a time. */
export async function stages({ name, texts }) {
  const timings = [];
  for (const text of texts) {
    const begin = performance.now();
    const response = await open_.get(name).detailed(text);
    timings.push({ ...response.timings, page: (performance.now() - begin) / 1000 });
  }
  return timings;
}

/** Goes through chunks of texts until an empty one; nobody drives the page, and what it asks for tells how far it is. */
export async function alone({ peer, options, perCall }) {
  let asked = 0;
  const next = async () => (await fetch(`/bench/texts/${asked++}.json`)).json();
  await next(); // The page is there, the translator not yet.
  await open({ name: "alone", peer, options });
  for (let texts = await next(); texts.length > 0; texts = await next()) await run({ name: "alone", texts, perCall });
}
