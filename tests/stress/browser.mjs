/* global AbortController */
// The page's side of tests/stress/browser.py: requests, streams and graphs to one translator, counted
// to the last. The engine copies, so each translation is its own text.

const LIMITS = {
  text_characters: 4000,
  queued_sentences: 150,
  queued_characters: 4000,
  batch_pieces: 512,
  batch_rows: 16,
  slice_sentences: 16,
  engine_seconds: 1,
  cache_bytes: 200_000,
  stream_sentences: 4,
};
const PRIORITIES = ["interactive", "visible", "near", "background"];
const COMMON = ["Ja.", "Nein!", "Weiter lesen", "12"];
const EXPECTED = ["AbortError", "deadline", "engine", "queue-full", "sentence-too-long", "text-too-long", "worker-gone"];
const MOST_OPEN = 300;
const LEFT = "left by its reader";

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

/** What is asked for. */
class Asker {
  constructor(seed) {
    this.random = randomFrom(seed);
  }

  below(number) {
    return Math.floor(this.random() * number);
  }

  choose(values) {
    return values[this.below(values.length)];
  }

  text(number) {
    const kind = this.random();
    if (kind < 0.01) return `Zu lang ${number}. `.repeat(400);
    if (kind < 0.03) return `Wort ${number} ${"und so weiter ".repeat(20)}`;
    const sentences = Array.from({ length: this.below(5) }, (_, part) => `Satz ${number} Teil ${part}.`);
    if (this.random() < 0.5) sentences.push(this.choose(COMMON));
    return sentences.join(this.choose([" ", "\n"]));
  }

  options() {
    return {
      alignment: this.choose(["none", "hard", "soft"]),
      overlong: this.random() < 0.1 ? "refuse" : "wrap",
      priority: this.choose(PRIORITIES),
      whenFull: this.random() < 0.8 ? "wait" : "refuse",
      cache: this.random() < 0.8,
    };
  }

  deadline() {
    return this.random() < 0.1 ? { deadline: this.choose([0.001, 0.02, 0.2]) } : {};
  }

  /** A text in parts, cut anywhere; now and then the line is cut. */
  async *arriving(text) {
    const longest = this.choose([1, 7, 1000]);
    const cutAt = this.random() < 0.1 ? this.below(text.length) : Infinity;
    for (let at = 0; at < text.length; ) {
      if (at >= cutAt) throw new Error("the line was cut");
      const end = at + 1 + this.below(longest);
      yield text.slice(at, end);
      at = end;
    }
  }

  /** A graph, the text of each output, and the code of what is wrong with it, if anything. */
  graph(number) {
    const values = { in0: this.text(number), in1: this.text(number) };
    const variables = { ...values };
    const requests = [];
    for (let index = 0; index <= this.below(4); index++) {
      const template = [{ input: this.choose(Object.keys(values)) }];
      if (this.random() < 0.4) template.push(` Teil ${number}\n`, { input: this.choose(Object.keys(values)) });
      values[`out${index}`] = template.map((chunk) => (chunk.input ? values[chunk.input] : chunk)).join("");
      requests.push({ ...this.options(), template: [...template, { output: `out${index}` }] });
    }
    const expected = Object.fromEntries(Object.entries(values).filter(([name]) => !(name in variables)));
    const broken = this.random() < 0.06 && this.choose([
      { fault: "unbound-variable", template: [{ input: "nobody" }, { output: "more" }] },
      { fault: "written-twice", template: [{ input: "in0" }, { output: "out0" }] },
      { fault: "graph-cycle", template: [{ input: "more" }, { output: "more" }] },
    ]);
    if (broken) requests.push({ template: broken.template });
    return { graph: { variables, requests: requests.reverse() }, expected, fault: broken ? broken.fault : undefined };
  }
}

const codeOf = (error) => (typeof error?.code === "string" ? error.code : (error?.name ?? String(error)));

/** Each of these starts something: {result, disturb}; `result` resolves to the end's name and what is wrong. */
class Starter {
  constructor(translator, asker) {
    this.translator = translator;
    this.asker = asker;
  }

  request(number) {
    const { asker } = this;
    const text = asker.text(number);
    const control = new AbortController();
    const options = { ...asker.options(), ...asker.deadline(), signal: control.signal };
    const { result, cancel, prioritize } = this.translator.submit(text, options);
    return {
      result: result.then(({ text: found }) => ({ end: "done", wrong: found === text ? [] : ["has another's text"] })),
      disturb: () => {
        const kind = asker.random();
        if (kind < 0.3) cancel();
        else if (kind < 0.6) control.abort();
        else prioritize(asker.choose(PRIORITIES));
      },
    };
  }

  stream(number) {
    const { asker } = this;
    const text = asker.text(number);
    const control = new AbortController();
    const options = { ...asker.options(), signal: control.signal };
    const reader = this.translator.translateStreamingDetailed(asker.arriving(text), options).getReader();
    const leavesAfter = asker.random() < 0.1 ? 1 + asker.below(3) : Infinity;
    return {
      result: readAll(reader, text, leavesAfter),
      disturb: () => {
        const kind = asker.random();
        if (kind < 0.3) control.abort();
        else if (kind < 0.5) reader.cancel().catch(() => undefined); // It may have failed already.
      },
    };
  }

  graph(number) {
    const { asker } = this;
    const { graph, expected, fault } = asker.graph(number);
    const control = new AbortController();
    const told = {};
    const onoutput = (name) => { told[name] = (told[name] ?? 0) + 1; };
    const submission = this.translator.submitGraph(graph, { signal: control.signal, onoutput });
    const known = (error) => {
      const end = codeOf(error);
      if (!EXPECTED.includes(end) && end !== fault) throw error;
      return { end, wrong: [] };
    };
    return {
      result: submission.result.then(({ outputs }) => ({ end: "done", ...graphEnd(outputs, expected, told) }), known),
      disturb: () => {
        const kind = asker.random();
        if (kind < 0.4) submission.cancelOutput(asker.choose([...Object.keys(expected), "nobody"]));
        else if (kind < 0.5) submission.cancel();
        else if (kind < 0.6) control.abort();
      },
    };
  }
}

/** The pieces of a stream are its text, from its start on, wherever it ends. */
async function readAll(reader, text, leavesAfter) {
  const wrong = [];
  let at = 0;
  for (let pieces = 0; pieces < leavesAfter; pieces++) {
    const { done, value } = await reader.read();
    if (done) return { end: at < text.length ? "cancelled by its reader" : "done", wrong };
    const end = at + value.text.length;
    const ranges = JSON.stringify([value.source, value.target]);
    if (ranges !== JSON.stringify([[at, end], [at, end]]) || value.text !== text.slice(at, end)) {
      wrong.push(`piece ${pieces} is not what stands at ${at}`);
    }
    at = end;
  }
  await reader.cancel();
  return { end: LEFT, wrong };
}

function graphEnd(outputs, expected, told) {
  const wrong = [];
  const names = (values) => Object.keys(values).sort().join();
  if (names(outputs) !== names(expected)) wrong.push(`outputs are ${names(outputs)}`);
  if (names(told) !== names(outputs)) wrong.push(`told of ${names(told)}`);
  for (const [name, times] of Object.entries(told)) if (times > 1) wrong.push(`${name} ended ${times} times`);
  const ends = Object.entries(outputs).map(([name, end]) => {
    if (!end.ok) {
      const code = codeOf(end.error);
      if (![...EXPECTED, "dependency"].includes(code)) wrong.push(`${name}: ${end.error}`);
      return code;
    }
    if (end.response.text !== expected[name]) wrong.push(`${name} has another's text`);
    return "done";
  });
  return { wrong, ends };
}

/** How often each request ended, and how. */
class Ends {
  times = new Map();
  kinds = {};
  ends = {};
  outputs = {};
  wrong = [];

  add(number, kind, { end, wrong, ends = [] }) {
    this.times.set(number, (this.times.get(number) ?? 0) + 1);
    count(this.ends, `${kind} ${end}`);
    for (const one of ends) count(this.outputs, one);
    this.wrong.push(...wrong.map((one) => `${kind} ${number}: ${one}`));
  }

  report(requests) {
    const numbers = [...Array(requests).keys()];
    return {
      submitted: requests,
      settled: this.times.size,
      lost: numbers.filter((number) => !this.times.has(number)).length,
      doubled: numbers.filter((number) => (this.times.get(number) ?? 0) > 1).length,
    };
  }
}

function count(counts, name) {
  counts[name] = (counts[name] ?? 0) + 1;
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

export async function stress({ requests, seed }) {
  const { Translator } = await import("/dragoman.js");
  const asker = new Asker(seed);
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en", limits: LIMITS });
  const start = new Starter(translator, asker);
  const ends = new Ends();
  const open = new Map();
  for (const type of ["error", "unhandledrejection"]) {
    globalThis.addEventListener(type, ({ message, reason }) => {
      ends.wrong.push(`${type}: ${message ?? reason}`);
    });
  }

  const submit = (number) => {
    const share = asker.random();
    const kind = share < 0.7 ? "request" : share < 0.85 ? "stream" : "graph";
    count(ends.kinds, kind);
    const started = start[kind](number);
    open.set(number, started);
    const ended = (end) => {
      open.delete(number);
      ends.add(number, kind, end);
    };
    started.result.then(ended, (error) => {
      const cut = error.message === "the line was cut";
      const end = cut ? "line cut" : codeOf(error);
      ended({ end, wrong: cut || EXPECTED.includes(end) ? [] : [String(error)] });
    });
  };

  const disturb = () => {
    const [, victim] = asker.choose([...open].slice(-40)) ?? [];
    if (victim && asker.random() < 0.5) victim.disturb();
  };

  for (let number = 0; number < requests; number++) {
    submit(number);
    disturb();
    if (asker.random() < 0.05) await pause(asker.choose([0, 1, 10]));
    while (open.size > MOST_OPEN) await pause(5);
  }
  for (let waited = 0; open.size && waited < 120_000; waited += 20) {
    disturb();
    await pause(20);
  }
  const leftovers = await leftoversOf(translator);
  translator.destroy();
  const { kinds, outputs, wrong } = ends;
  return { ...ends.report(requests), leftovers, wrong, kinds, ends: ends.ends, outputs };
}

/** What is held of requests whose ends were all heard of; the last cancels may still be on their way. */
async function leftoversOf(translator) {
  for (let tries = 0; ; tries++) {
    const left = await translator.statistics();
    const { pending, open_requests, queued_sentences, running_sentences, open_streams, open_graphs } = left;
    const found = { promises: pending, open_requests, queued_sentences, running_sentences, open_streams, open_graphs };
    if (tries === 100 || Object.values(found).every((number) => number === 0)) return found;
    await pause(20);
  }
}
