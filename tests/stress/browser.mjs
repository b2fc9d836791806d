/* global AbortController */
// The page's side of tests/stress/browser.py: many requests to one translator, counted to the last.

const LIMITS = {
  text_characters: 4000,
  queued_sentences: 150,
  queued_characters: 4000,
  batch_pieces: 512,
  batch_rows: 16,
  slice_sentences: 16,
  engine_seconds: 1,
  cache_bytes: 200_000,
};
const PRIORITIES = ["interactive", "visible", "near", "background"];
const COMMON = ["Ja.", "Nein!", "Weiter lesen", "12"];
const EXPECTED = ["AbortError", "deadline", "engine", "queue-full", "sentence-too-long", "text-too-long", "worker-gone"];
const MOST_OPEN = 300;

/** mulberry32: the same requests for the same seed. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function makeText(random, choose, number) {
  const kind = random();
  if (kind < 0.01) return `Zu lang ${number}. `.repeat(400);
  if (kind < 0.03) return `Wort ${number} ${"und so weiter ".repeat(20)}`;
  const sentences = Array.from({ length: Math.floor(random() * 5) }, (_, part) => `Satz ${number} Teil ${part}.`);
  if (random() < 0.5) sentences.push(choose(COMMON));
  return sentences.join(choose([" ", "\n"]));
}

function makeOptions(random, choose) {
  return {
    alignment: choose(["none", "hard", "soft"]),
    overlong: random() < 0.1 ? "refuse" : "wrap",
    priority: choose(PRIORITIES),
    whenFull: random() < 0.8 ? "wait" : "refuse",
    cache: random() < 0.8,
    ...(random() < 0.1 && { deadline: choose([0.001, 0.02, 0.2]) }),
  };
}

export async function stress({ requests, seed }) {
  const { Translator } = await import("/dragoman.js");
  const random = randomFrom(seed);
  const choose = (values) => values[Math.floor(random() * values.length)];
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en", limits: LIMITS });
  const open = new Map();
  const times = new Map();
  const ends = {};
  const wrong = [];
  for (const type of ["error", "unhandledrejection"]) {
    globalThis.addEventListener(type, ({ message, reason }) => {
      wrong.push(`${type}: ${message ?? reason}`);
    });
  }

  const end = (number, kind) => {
    open.delete(number);
    times.set(number, (times.get(number) ?? 0) + 1);
    ends[kind] = (ends[kind] ?? 0) + 1;
  };

  const submit = (number) => {
    const text = makeText(random, choose, number);
    const control = new AbortController();
    const submission = translator.submit(text, { ...makeOptions(random, choose), signal: control.signal });
    open.set(number, { ...submission, abort: () => { control.abort(); } });
    submission.result.then(
      (response) => {
        if (response.text !== text) wrong.push(`${number}: ${JSON.stringify(response.text).slice(0, 200)}`);
        end(number, "done");
      },
      (error) => {
        const kind = error.code && typeof error.code === "string" ? error.code : error.name;
        if (!EXPECTED.includes(kind)) wrong.push(`${number}: ${error}`);
        end(number, kind);
      },
    );
  };

  const disturb = () => {
    const [, victim] = choose([...open].slice(-40)) ?? [];
    if (!victim || random() < 0.5) return;
    const kind = random();
    if (kind < 0.3) victim.cancel();
    else if (kind < 0.6) victim.abort();
    else victim.prioritize(choose(PRIORITIES));
  };

  const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
  for (let number = 0; number < requests; number++) {
    submit(number);
    disturb();
    if (random() < 0.05) await pause(choose([0, 1, 10]));
    while (open.size > MOST_OPEN) await pause(5);
  }
  for (let waited = 0; open.size && waited < 120_000; waited += 20) {
    disturb();
    await pause(20);
  }
  const left = await translator.statistics();
  translator.destroy();
  const numbers = [...Array(requests).keys()];
  return {
    submitted: requests,
    settled: times.size,
    lost: numbers.filter((number) => !times.has(number)).length,
    doubled: numbers.filter((number) => (times.get(number) ?? 0) > 1).length,
    leftovers: {
      promises: left.pending,
      open_requests: left.open_requests,
      queued_sentences: left.queued_sentences,
      running_sentences: left.running_sentences,
    },
    wrong,
    ends,
  };
}
