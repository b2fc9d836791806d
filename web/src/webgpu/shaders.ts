/**
 * The student's mathematics in WGSL (https://www.w3.org/TR/WGSL/): what `kernel/src` computes, with the
 * same integers.
 *
 * Shape letters: M rows of a product (pieces of the source, then rows that go on), R rows of the
 * mini-batch, T most steps, W its width, A size of the alignment head, D dimension, F feed-forward,
 * H heads, V pieces of the vocabulary, C positions; K inputs, N outputs of a product.
 *
 *     name        one workgroup for     reads                          writes
 *     embed       a row                 pieces, places                 x, q(x)
 *     dense       8 rows, 64 columns    q [M][K], weights              y [M][N], or q(relu(y)) for the next
 *     attend      a row                 queries, keys and values       q(mixed), attention
 *     align       a row                 queries, keys                  attention, of the previous piece
 *     normalize   a row                 x, y                           x = LayerNorm(x + y), q(x)
 *     recur       a row                 x, candidate and gate, state   state, x as above, q(x)
 *     quantize    a row                 x                              q(x) for another product
 *     choose      a row                 logits [M][V]                  the best piece, sum of e^(l - best)
 *     advance     all rows              what was chosen                which rows go on: M, step + 1
 *
 * Floats come four at a time along D. Quantized values come sixteen at a time, four words of four signed
 * bytes; rows of them are padded to that, and weights with zeros. Every workgroup asks `progress` first
 * whether its rows are still there: steps that are recorded beyond the end of a mini-batch do nothing.
 */

/** Threads of a workgroup, where nothing else is said. */
const THREADS = 64;
/** Of `dense`: a thread has one column of eight rows. */
export const TILE = { rows: 8, columns: THREADS } as const;
/** Of `choose` and `advance`. */
const MANY = 256;
/** A row of the decoder that has no piece before it. */
export const NO_PIECE = 0xffff_ffff;

/** What a mini-batch has come to. In `Progress` of `batch.ts` the host's view of it. */
const PROGRESS = /* wgsl */ `
struct Progress {
  rows: u32,      // M
  step: u32,
  width: u32,     // W where attention is wanted, else 0
  mostSteps: u32, // T
}`;

/** As `quantize` of `kernel/src/dense.c`: round to even, clip, store as signed bytes. */
const QUANTIZED = /* wgsl */ `
// \`least\` is -128, or 0 after a relu: then what is stored is 128 less.
fn quantized(x: vec4f, scale: f32, least: f32) -> vec4i {
  let q = clamp(round(x / scale), vec4f(least), vec4f(least + 255.0));
  return vec4i(q - least - 128.0);
}`;

const ROW = /* wgsl */ `
requires packed_4x8_integer_dot_product;
${PROGRESS}
${QUANTIZED}
struct Row {
  vectors: u32,   // D / 4
  words: u32,     // words of a row of q
  scale: f32,     // of q
  factor: f32,    // of the embedding
  vocabulary: u32,
}
@group(0) @binding(0) var<uniform> row: Row;
@group(0) @binding(1) var<storage, read> progress: Progress;
@group(0) @binding(2) var<storage, read_write> q: array<u32>; // [M][words]

fn store(number: u32, vector: u32, x: vec4f) {
  q[number * row.words + vector] = pack4xI8(quantized(x, row.scale, -128.0));
}`;

export const EMBED = /* wgsl */ `${ROW}
@group(0) @binding(3) var<storage, read_write> x: array<vec4f>;       // [M][D / 4]
@group(0) @binding(4) var<storage, read> embedding: array<vec4u>;     // [D / 16][V], the output layer's weights
@group(0) @binding(5) var<storage, read> positions: array<vec4f>;     // [C][D / 4]
@group(0) @binding(6) var<storage, read> pieces: array<u32>;          // [M], or NO_PIECE
@group(0) @binding(7) var<storage, read> places: array<u32>;          // [M]

// The decoder's first input is the position alone.
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = group.x;
  if (number >= progress.rows) { return; }
  let piece = pieces[number];
  for (var d = thread; d < row.vectors; d += ${THREADS}u) {
    var value = positions[places[number] * row.vectors + d];
    if (piece != ${NO_PIECE}u) {
      let bytes = embedding[d / 4u * row.vocabulary + piece][d % 4u];
      value += vec4f(unpack4xI8(bytes)) * row.factor;
    }
    x[number * row.vectors + d] = value;
    store(number, d, value);
  }
}`;

const SUM = /* wgsl */ `
var<workgroup> parts: array<f32, ${THREADS}>;

// The sum of what all threads bring.
fn total(thread: u32, part: f32) -> f32 {
  workgroupBarrier();
  parts[thread] = part;
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0u; i < ${THREADS}u; i++) { sum += parts[i]; }
  return sum;
}`;

/** \`addend(number, d)\` is what a layer adds to x. */
const NORMALIZED = /* wgsl */ `${SUM}
@group(0) @binding(3) var<storage, read_write> x: array<vec4f>;       // [M][D / 4]
@group(0) @binding(4) var<storage, read> norm: array<vec4f>;          // [2][D / 4]: scale, bias
@group(0) @binding(5) var<storage, read> y: array<vec4f>;             // [M][D / 4], or [M][2][D / 4]

const ONES = vec4f(1.0);
const EPSILON = 1e-6;

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = group.x;
  if (number >= progress.rows) { return; }
  let first = number * row.vectors;
  let size = f32(4u * row.vectors);
  var part = 0.0;
  for (var d = thread; d < row.vectors; d += ${THREADS}u) {
    let sum = x[first + d] + addend(number, d);
    x[first + d] = sum;
    part += dot(sum, ONES);
  }
  let mean = total(thread, part) / size;
  part = 0.0;
  for (var d = thread; d < row.vectors; d += ${THREADS}u) {
    let centred = x[first + d] - mean;
    part += dot(centred, centred);
  }
  let deviation = sqrt(total(thread, part) / size + EPSILON);
  for (var d = thread; d < row.vectors; d += ${THREADS}u) {
    let value = (x[first + d] - mean) / deviation * norm[d] + norm[row.vectors + d];
    x[first + d] = value;
    store(number, d, value);
  }
}`;

export const NORMALIZE = /* wgsl */ `${ROW}${NORMALIZED}
fn addend(number: u32, d: u32) -> vec4f { return y[number * row.vectors + d]; }`;

/** SSRU (Kim et al. 2019): state = f * state + (1 - f) * candidate, f = sigmoid(gate); relu(state) is added. */
export const RECUR = /* wgsl */ `${ROW}${NORMALIZED}
@group(0) @binding(6) var<storage, read_write> states: array<vec4f>;  // [R][D / 4]
@group(0) @binding(7) var<storage, read> rowOf: array<u32>;           // [M]

fn addend(number: u32, d: u32) -> vec4f {
  let both = 2u * number * row.vectors + d;
  let candidate = y[both];
  let forget = 1.0 / (1.0 + exp(-y[both + row.vectors]));
  let at = rowOf[number] * row.vectors + d;
  let state = candidate + forget * (states[at] - candidate);
  states[at] = state;
  return max(state, vec4f(0.0));
}`;

export const QUANTIZE = /* wgsl */ `${ROW}
@group(0) @binding(3) var<storage, read> x: array<vec4f>;             // [M][D / 4]

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  if (group.x >= progress.rows) { return; }
  for (var d = thread; d < row.vectors; d += ${THREADS}u) { store(group.x, d, x[group.x * row.vectors + d]); }
}`;

/** Vectors of sixteen inputs that a workgroup keeps of each of its rows at a time. */
const CHUNK = 16;
const EACH_ROW = Array.from({ length: TILE.rows }, (_, row) => row);

/** Sums are exact in int32. A row's sum does not depend on its companions. */
const PRODUCT = /* wgsl */ `
requires packed_4x8_integer_dot_product;
${PROGRESS}
struct Dense {
  vectors: u32,     // K / 16, rounded up
  outputs: u32,     // N
  scale: f32,       // of a sum
  nextScale: f32,   // of q of the next product
  nextWords: u32,   // words of a row of it
}
struct Column {
  correction: i32,  // for the 128 that are missing from the bytes of a relu
  bias: f32,
}
@group(0) @binding(0) var<uniform> dense: Dense;
@group(0) @binding(1) var<storage, read> progress: Progress;
@group(0) @binding(2) var<storage, read> weights: array<vec4u>;       // [K / 16][N]
@group(0) @binding(3) var<storage, read> columns: array<Column>;      // [N]
@group(0) @binding(4) var<storage, read> q: array<vec4u>;             // [M][K / 16]

var<workgroup> tile: array<vec4u, ${TILE.rows * CHUNK}>;

fn dot16(a: vec4u, b: vec4u) -> i32 {
  return dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let first = group.x * ${TILE.rows}u;
  if (first >= progress.rows) { return; }
  let column = group.y * ${TILE.columns}u + thread;
  let within = min(column, dense.outputs - 1u); // Threads beyond the last column go along.
  let start = columns[within].correction;
  ${EACH_ROW.map((row) => `var sum${row} = start;`).join(" ")}
  for (var begin = 0u; begin < dense.vectors; begin += ${CHUNK}u) {
    let count = min(${CHUNK}u, dense.vectors - begin);
    workgroupBarrier();
    for (var i = thread; i < ${TILE.rows * CHUNK}u; i += ${THREADS}u) {
      let number = min(first + i / ${CHUNK}u, progress.rows - 1u);
      tile[i] = q[number * dense.vectors + begin + min(i % ${CHUNK}u, count - 1u)];
    }
    workgroupBarrier();
    for (var k = 0u; k < count; k++) {
      let w = weights[(begin + k) * dense.outputs + within];
      ${EACH_ROW.map((row) => `sum${row} += dot16(tile[${row * CHUNK}u + k], w);`).join("\n      ")}
    }
  }
  let bias = columns[within].bias;
  ${EACH_ROW.map((row) => `put(first, ${row}u, column, thread, f32(sum${row}) * dense.scale + bias);`).join("\n  ")}
  finish(first, group.y, thread);
}`;

export const DENSE = /* wgsl */ `${PRODUCT}
@group(0) @binding(5) var<storage, read_write> y: array<f32>;         // [M][N]

fn put(first: u32, row: u32, column: u32, thread: u32, value: f32) {
  if (first + row < progress.rows && column < dense.outputs) { y[(first + row) * dense.outputs + column] = value; }
}
fn finish(first: u32, group: u32, thread: u32) {}`;

/** Columns beyond the last one get bytes too: the next product's weights for them are 0. */
export const DENSE_RELU = /* wgsl */ `${PRODUCT}${QUANTIZED}
@group(0) @binding(5) var<storage, read_write> next: array<u32>;      // [M][nextWords]

var<workgroup> values: array<f32, ${TILE.rows * TILE.columns}>;

fn put(first: u32, row: u32, column: u32, thread: u32, value: f32) {
  values[row * ${TILE.columns}u + thread] = value;
}
fn finish(first: u32, group: u32, thread: u32) {
  workgroupBarrier();
  for (var i = thread; i < ${(TILE.rows * TILE.columns) / 4}u; i += ${THREADS}u) {
    let number = first + i / ${TILE.columns / 4}u;
    let word = group * ${TILE.columns / 4}u + i % ${TILE.columns / 4}u;
    if (number >= progress.rows || word >= dense.nextWords) { continue; }
    let four = vec4f(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
    next[number * dense.nextWords + word] = pack4xI8(quantized(four, dense.nextScale, 0.0));
  }
}`;

/** Scores of the pieces of a sentence: the best of them, and what they are as a row of attention. */
const SCORED = /* wgsl */ `
struct Sentence {
  start: u32,       // its first piece
  length: u32,
}
override SCORES: u32;

fn highest(first: u32, count: u32) -> f32 {
  var best = scores[first];
  for (var column = 1u; column < count; column++) { best = max(best, scores[first + column]); }
  return best;
}

// The softmax of the first \`length\` scores; zeros beyond them, where nothing is computed.
fn keep(cell: u32, length: u32, thread: u32) {
  let best = highest(0u, length);
  var sum = 0.0;
  for (var column = 0u; column < length; column++) { sum += exp(scores[column] - best); }
  for (var column = thread; column < progress.width; column += ${THREADS}u) {
    var weight = 0.0;
    if (column < length) { weight = exp(scores[column] - best) / sum; }
    attention[cell + column] = weight;
  }
}`;

/**
 * softmax(q k^T / sqrt(D / H)) v, head by head: a thread has four dimensions of one head. `SCORES` is H
 * times the most columns.
 */
export const ATTEND = /* wgsl */ `
requires packed_4x8_integer_dot_product;
${PROGRESS}
${QUANTIZED}
struct Attention {
  vectors: u32,     // D / 4
  heads: u32,       // H
  queryStep: u32,   // vectors from a query to the next
  memoryStep: u32,  // vectors from a key to the next
  keys: u32,        // vectors before the first key
  scale: f32,       // of q
  words: u32,       // words of a row of q
  kept: u32,        // whether this layer's attention is the one that is wanted
}
${SCORED}
@group(0) @binding(0) var<uniform> layer: Attention;
@group(0) @binding(1) var<storage, read> progress: Progress;
@group(0) @binding(2) var<storage, read> queries: array<vec4f>;       // [M][queryStep], the query first
@group(0) @binding(3) var<storage, read> memory: array<vec4f>;        // [pieces][memoryStep]: key, value
@group(0) @binding(4) var<storage, read> rowOf: array<u32>;           // [M]
@group(0) @binding(5) var<storage, read> sentences: array<Sentence>;  // [R]
@group(0) @binding(6) var<storage, read_write> q: array<u32>;         // [M][words]
@group(0) @binding(7) var<storage, read_write> attention: array<f32>; // [R][T][W] of head 0

var<workgroup> scores: array<f32, SCORES>;                            // [H][length]

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = group.x;
  if (number >= progress.rows) { return; }
  let sentence = sentences[rowOf[number]];
  let size = layer.vectors / layer.heads;
  let factor = 1.0 / sqrt(f32(4u * size));
  let query = number * layer.queryStep;
  let keys = sentence.start * layer.memoryStep + layer.keys;
  for (var i = thread; i < layer.heads * sentence.length; i += ${THREADS}u) {
    let begin = i / sentence.length * size;
    let key = keys + i % sentence.length * layer.memoryStep + begin;
    var score = 0.0;
    for (var d = 0u; d < size; d++) { score += dot(queries[query + begin + d], memory[key + d]); }
    scores[i] = score * factor;
  }
  workgroupBarrier();
  for (var d = thread; d < layer.vectors; d += ${THREADS}u) {
    let head = d / size * sentence.length;
    let best = highest(head, sentence.length);
    var sum = 0.0;
    var mixed = vec4f(0.0);
    for (var column = 0u; column < sentence.length; column++) {
      let weight = exp(scores[head + column] - best);
      sum += weight;
      mixed += weight * memory[keys + layer.vectors + column * layer.memoryStep + d];
    }
    q[number * layer.words + d] = pack4xI8(quantized(mixed / sum, layer.scale, -128.0));
  }
  if (layer.kept == 0u || progress.width == 0u) { return; }
  keep((rowOf[number] * progress.mostSteps + progress.step) * progress.width, sentence.length, thread);
}
`;

/**
 * Where the previous piece comes from. The same stands for the piece of this step, until the next one
 * tells.
 */
export const ALIGN = /* wgsl */ `
${PROGRESS}
struct Head {
  vectors: u32,     // A / 4
}
${SCORED}
@group(0) @binding(0) var<uniform> head: Head;
@group(0) @binding(1) var<storage, read> progress: Progress;
@group(0) @binding(2) var<storage, read> queries: array<vec4f>;       // [M][A / 4]
@group(0) @binding(3) var<storage, read> keys: array<vec4f>;          // [pieces][A / 4]
@group(0) @binding(4) var<storage, read> rowOf: array<u32>;           // [M]
@group(0) @binding(5) var<storage, read> sentences: array<Sentence>;  // [R]
@group(0) @binding(6) var<storage, read_write> attention: array<f32>; // [R][T][W]

var<workgroup> scores: array<f32, SCORES>;                            // [length]

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = group.x;
  if (number >= progress.rows || progress.width == 0u) { return; }
  let sentence = sentences[rowOf[number]];
  let factor = 1.0 / sqrt(f32(4u * head.vectors));
  for (var column = thread; column < sentence.length; column += ${THREADS}u) {
    var score = 0.0;
    for (var d = 0u; d < head.vectors; d++) {
      score += dot(queries[number * head.vectors + d], keys[(sentence.start + column) * head.vectors + d]);
    }
    scores[column] = score * factor;
  }
  workgroupBarrier();
  let cell = (rowOf[number] * progress.mostSteps + progress.step) * progress.width;
  keep(cell, sentence.length, thread);
  if (progress.step > 0u) { keep(cell - progress.width, sentence.length, thread); }
}`;

/** The first of equals wins. 1 / sum is the chosen piece's probability. */
export const CHOOSE = /* wgsl */ `
${PROGRESS}
struct Output {
  vocabulary: u32,
}
@group(0) @binding(0) var<uniform> output: Output;
@group(0) @binding(1) var<storage, read> progress: Progress;
@group(0) @binding(2) var<storage, read> logits: array<f32>;          // [M][V]
@group(0) @binding(3) var<storage, read> rowOf: array<u32>;           // [M]
@group(0) @binding(4) var<storage, read_write> previous: array<u32>;  // [M]
@group(0) @binding(5) var<storage, read_write> chosen: array<u32>;    // [R][T]
@group(0) @binding(6) var<storage, read_write> sums: array<f32>;      // [R][T]

var<workgroup> tops: array<f32, ${MANY}>;
var<workgroup> pieces: array<u32, ${MANY}>;

@compute @workgroup_size(${MANY})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = group.x;
  if (number >= progress.rows) { return; }
  let first = number * output.vocabulary;
  var top = -1e30;
  var piece = output.vocabulary;
  for (var n = thread; n < output.vocabulary; n += ${MANY}u) {
    let logit = logits[first + n];
    if (logit > top) { top = logit; piece = n; }
  }
  tops[thread] = top;
  pieces[thread] = piece;
  for (var half = ${MANY / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) {
      let other = thread + half;
      let better = tops[other] > tops[thread];
      if (better || (tops[other] == tops[thread] && pieces[other] < pieces[thread])) {
        tops[thread] = tops[other];
        pieces[thread] = pieces[other];
      }
    }
  }
  workgroupBarrier();
  let best = tops[0];
  workgroupBarrier();
  var sum = 0.0;
  for (var n = thread; n < output.vocabulary; n += ${MANY}u) { sum += exp(logits[first + n] - best); }
  tops[thread] = sum;
  for (var half = ${MANY / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) { tops[thread] += tops[thread + half]; }
  }
  if (thread == 0u) {
    let cell = rowOf[number] * progress.mostSteps + progress.step;
    previous[number] = pieces[0];
    chosen[cell] = pieces[0];
    sums[cell] = tops[0];
  }
}`;

/** Keeps the rows that go on, in order. */
export const ADVANCE = /* wgsl */ `
${PROGRESS}
const EOS = 0u;
@group(0) @binding(0) var<storage, read_write> progress: Progress;
@group(0) @binding(1) var<storage, read_write> rowOf: array<u32>;     // [M]
@group(0) @binding(2) var<storage, read_write> previous: array<u32>;  // [M]
@group(0) @binding(3) var<storage, read_write> places: array<u32>;    // [M]
@group(0) @binding(4) var<storage, read> limits: array<u32>;          // [R]

var<workgroup> rows: u32;
var<workgroup> goOn: array<u32, ${MANY}>;

@compute @workgroup_size(${MANY})
fn main(@builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) { rows = progress.rows; }
  let count = workgroupUniformLoad(&rows);
  if (count == 0u) { return; }
  let next = progress.step + 1u;
  var kept = 0u;
  for (var begin = 0u; begin < count; begin += ${MANY}u) {
    let number = begin + thread;
    var row = 0u;
    var piece = EOS;
    if (number < count) { row = rowOf[number]; piece = previous[number]; }
    let goes = piece != EOS && next < limits[row];
    goOn[thread] = u32(goes);
    storageBarrier();
    workgroupBarrier();
    var to = kept;
    for (var i = 0u; i < ${MANY}u; i++) {
      to += select(0u, goOn[i], i < thread);
      kept += goOn[i];
    }
    if (goes) { rowOf[to] = row; previous[to] = piece; places[to] = next; }
    storageBarrier();
    workgroupBarrier();
  }
  if (thread == 0u) { progress.rows = kept; progress.step = next; }
}`;
