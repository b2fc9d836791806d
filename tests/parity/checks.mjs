// What must hold of a response in JavaScript itself: its ranges index JavaScript strings.

/** Every field of a response that holds ranges, as {name: [text, ranges]}. */
function rangesOf(source, response) {
  const { sentences, alignment, text: target } = response;
  return {
    source: [source, sentences.map((sentence) => sentence.source)],
    target: [target, sentences.map((sentence) => sentence.target)],
    sourceWords: [source, alignment.sourceWords],
    targetWords: [target, alignment.targetWords],
  };
}

/** `substrings`: if known, what Python cut out at each range, by the names of `rangesOf`. */
function checkSubstrings(source, response, substrings, report) {
  for (const [name, [text, ranges]] of Object.entries(rangesOf(source, response))) {
    const found = ranges.map(([start, end]) => text.slice(start, end));
    const expected = substrings[name];
    if (found.length !== expected.length) report(`${name}: ${found.length} ranges, not ${expected.length}`);
    found.forEach((part, i) => {
      if (part !== expected[i]) report(`${name} ${i}: ${JSON.stringify(part)}, not ${JSON.stringify(expected[i])}`);
    });
  }
}

/** Sentences and the gaps between them are all of both texts, and a gap is the same in both. */
function checkCover(source, { text: target, sentences }, report) {
  let rebuiltSource = "";
  let rebuiltTarget = "";
  let [read, written] = [0, 0];
  const ends = [...sentences, { source: [source.length, 0], target: [target.length, 0] }];
  for (const sentence of ends) {
    const gap = source.slice(read, sentence.source[0]);
    const same = target.slice(written, sentence.target[0]);
    if (gap !== same) report(`gap at ${read}: ${JSON.stringify(gap)}, not ${JSON.stringify(same)}`);
    rebuiltSource += gap + source.slice(...sentence.source);
    rebuiltTarget += same + target.slice(...sentence.target);
    [read, written] = [sentence.source[1], sentence.target[1]];
  }
  if (rebuiltSource !== source) report("sentences and gaps are not the source");
  if (rebuiltTarget !== target) report("sentences and gaps are not the target");
}

/** No range begins or ends inside what a reader sees as one character. */
function checkGraphemes(source, response, report) {
  const segmenter = new Intl.Segmenter("de", { granularity: "grapheme" });
  const edges = (text) => new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
  const edgesOf = new Map([[source, edges(source)], [response.text, edges(response.text)]]);
  for (const [name, [text, ranges]] of Object.entries(rangesOf(source, response))) {
    for (const range of ranges) {
      if (!range.every((offset) => edgesOf.get(text).has(offset))) {
        report(`${name} [${range}] cuts a grapheme: ${JSON.stringify(text.slice(...range))}`);
      }
    }
  }
}

/** Words are in order, not empty, do not overlap, and each is inside a sentence. */
function checkWords(response, report) {
  for (const side of ["source", "target"]) {
    let last = 0;
    for (const [start, end] of response.alignment[`${side}Words`]) {
      const inside = response.sentences.some(({ [side]: [from, to] }) => from <= start && end <= to);
      if (start < last || end <= start || !inside) report(`${side} word [${start}, ${end}] is out of place`);
      last = end;
    }
  }
}

/** All that is wrong with the response to `source`; empty if nothing is. */
export function problems(source, response, substrings) {
  const found = [];
  const report = (problem) => found.push(problem);
  if (substrings) checkSubstrings(source, response, substrings, report);
  checkCover(source, response, report);
  checkWords(response, report);
  checkGraphemes(source, response, report);
  return found;
}
