/** The Python core under Pyodide: what it imports, and the bridge's session as JavaScript sees it. */

import type { PyodideAPI } from "pyodide";
import type { PyBuffer, PyCallable, PyProxy } from "pyodide/ffi";
import { release } from "../../base/bytes.ts";
import { contentOf } from "../../base/packed.ts";
import { DragomanError } from "../../wire/errors.ts";
import type { BeamInput, EngineInput, EngineOutput, ModelText, PublishedText, StudentLayout } from "../../wire/engine-protocol.ts";
import type {
  DocumentFile,
  DocumentOutcome,
  Graph,
  GraphOutcome,
  Limits,
  LoadOutcome,
  MemoryEntry,
  OfferedModel,
  Outcome,
  Priority,
  ProgressState,
  Statistics,
  StreamOptions,
  StreamPiece,
  TranslatedDocument,
  TranslationRequest,
  WireError,
} from "../../wire/protocol.ts";
import type { SentenceNews } from "../../stores/sentence-store.ts";
import { buffersOf } from "../transferables.ts";
import type { ReadPublished } from "./engine-channel.ts";

/** What runs mini-batches; `stop` ends those that are running. */
export interface EngineHost {
  run(input: EngineInput): Promise<EngineOutput>;
  stop(): void;
  close(): void;
}

/** A model as the bridge takes it: what `LoadModel` resolves to. */
export interface LoadedModel extends ModelText {
  readonly engine: EngineHost;
  /** Its sentences that were kept, as the bridge takes them; undefined: none are to be kept. */
  readonly kept: string | undefined;
}

/** Has the engine fetch and check a bundle. */
export type LoadModel = (bundle: string) => Promise<LoadedModel>;

export type OnProgress = (state: ProgressState, done: number, total: number) => void;
export type OnOutput = (name: string, outcome: Outcome) => void;

/** What is asked of a document. */
export interface DocumentAsked {
  readonly file: DocumentFile;
  readonly options: StreamOptions;
}

export interface DocumentEars {
  readonly onprogress: OnProgress;
  readonly onbeginning: (text: string) => void;
}

/** What the bridge says of a document that it has translated. */
type ToldDocument = Omit<TranslatedDocument, "file"> & { readonly name: string; readonly mediaType: string };
type ToldOutcome =
  | { readonly ok: true; readonly document: ToldDocument }
  | { readonly ok: false; readonly error: WireError };

/** The next of a stream; null at its end. */
export type PieceOutcome =
  | { readonly ok: true; readonly piece: StreamPiece | null }
  | { readonly ok: false; readonly error: WireError };

export type StartOutcome = { readonly ok: true } | { readonly ok: false; readonly error: WireError };

type Coroutine<T> = Promise<T> & PyProxy;

/** `dragoman.bridge.Session`. */
interface PySession extends PyProxy {
  offer(modelsJson: string, load: (bundle: string) => Promise<unknown>): void;
  load(id: number, source: string, target: string): Coroutine<string>;
  unload(source: string, target: string): Coroutine<void>;
  translate(id: number, requestJson: string, onProgress: OnProgress | undefined): Coroutine<string>;
  graph(id: number, graphJson: string, onOutput: (name: string, outcome: string) => void): Coroutine<string>;
  document(
    id: number,
    content: Uint8Array,
    askedJson: string,
    onProgress: OnProgress,
    onBeginning: (textJson: string) => void,
    onContent: (content: PyBuffer) => void,
  ): Coroutine<string>;
  start(id: number, optionsJson: string): string;
  feed(id: number, textJson: string): Coroutine<boolean>;
  finish(id: number): Coroutine<boolean>;
  next_piece(id: number): Coroutine<string>;
  cancel(id: number, output?: string): void;
  prioritize(id: number, priority: Priority): void;
  statistics(): string;
  news(most: number): string;
  clear_cache(): void;
  close(): Coroutine<void>;
}

interface Bridge {
  open_session: (
    manifestJson: string,
    vocabulary: PyProxy,
    run: unknown,
    limitsJson: string | undefined,
    keptJson: string | undefined,
    names: PyProxy | undefined,
    memoryJson: string | undefined,
  ) => PySession;
  describe_published: (
    manifestJson: string,
    vocabulary: PyProxy,
    targetVocabulary: PyProxy | undefined,
    read: (start: number, end: number) => Uint8Array,
    size: number,
  ) => PyDescribed;
  error_data: PyCallable;
}

/** `dragoman.marian.described.Described`; `names` is an `array("i")`, or None. */
interface PyDescribed extends PyProxy {
  readonly manifest: string;
  readonly layout: string;
  readonly positions: number;
  readonly vocabulary: PyBuffer;
  readonly names: PyBuffer | undefined;
}

interface PySys extends PyProxy {
  readonly path: PyProxy & { append(folder: string): void };
}

/** Pyodide's own types have none for it. */
interface EmscriptenFiles {
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array, options: { readonly canOwn: boolean }): void;
  };
}

/** SentencePiece, which a snapshot cannot hold (`web/unpack.mjs`). */
export interface SentencePieceFiles {
  /** By their paths below `packages/`. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Chromium compiles the same bytes once, while this is kept: importing them finds it done. */
  readonly compiled: readonly WebAssembly.Module[];
}

const PACKAGES = "packages/";
/** Where the core was when the snapshot was made. */
const CORE_FOLDER = "/core";

/** @throws DragomanError "network" */
export async function fetchSentencePiece(base: string): Promise<SentencePieceFiles> {
  const files = new Map(
    await Promise.all(
      SENTENCEPIECE.map(async (path) => {
        const name = path.slice(path.indexOf(PACKAGES) + PACKAGES.length).replace(/\.gz$/, "");
        return [name, await fetchFile(new URL(path, base))] as const;
      }),
    ),
  );
  const libraries = [...files].filter(([name]) => name.endsWith(".so"));
  return { files, compiled: await Promise.all(libraries.map(([, bytes]) => WebAssembly.compile(bytes))) };
}

async function fetchFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new DragomanError("network", `a file could not be fetched: ${url.pathname}: ${String(error)}`);
  });
  if (!response.ok) {
    throw new DragomanError("network", `a file could not be fetched: ${url.pathname}: status ${response.status}`);
  }
  return new Uint8Array(await contentOf(response, url.pathname));
}

export function importSentencePiece(pyodide: PyodideAPI, { files }: SentencePieceFiles): void {
  const { FS } = pyodide as unknown as EmscriptenFiles;
  for (const [name, bytes] of files) {
    const path = `/${PACKAGES}${name}`;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, bytes, { canOwn: true });
  }
  (pyodide.pyimport("sys") as unknown as PySys).path.append(`/${PACKAGES.slice(0, -1)}`);
  pyodide.pyimport("sentencepiece");
}

/**
 * What reads documents, which a snapshot would carry for all who have none (`web/documents.mjs`).
 *
 * @throws DragomanError "network"
 */
export async function importDocuments(pyodide: PyodideAPI, base: string): Promise<void> {
  const packed = await fetchFile(new URL(DOCUMENTS, base));
  // Beside the core: its rooms look there for what is missing in them.
  pyodide.unpackArchive(packed, "zip", { extractDir: CORE_FOLDER });
  (pyodide.pyimport("sys") as unknown as PySys).path.append(CORE_FOLDER);
  pyodide.pyimport("dragoman.wire.documents");
}

/**
 * What the core makes of published files; it reads little of the model's.
 *
 * @throws DragomanError "bundle-mismatch": they are damaged, or do not fit each other.
 */
export function readPublished(
  pyodide: PyodideAPI,
  { manifestText, vocabulary, targetVocabulary, file }: PublishedText,
): ReadPublished {
  const bridge = pyodide.pyimport("dragoman.bridge") as unknown as Bridge;
  const given = [vocabulary, targetVocabulary].map((bytes) => bytes && (pyodide.toPy(bytes) as PyProxy));
  try {
    const [source, target] = given;
    if (!source) throw new DragomanError("bundle", "there is no vocabulary");
    const read = (start: number, end: number) => file.subarray(start, end);
    const described = bridge.describe_published(manifestText, source, target, read, file.length);
    try {
      return readDescribed(described);
    } finally {
      described.destroy();
    }
  } catch (error) {
    throw pythonError(pyodide, bridge) ?? error;
  } finally {
    for (const proxy of given) proxy?.destroy();
  }
}

function readDescribed(described: PyDescribed): ReadPublished {
  const { manifest, layout, positions, names } = described;
  const vocabulary = copied(described.vocabulary, "u8", (data) => new Uint8Array(data as Uint8Array));
  return {
    text: { manifestText: manifest, vocabulary },
    layout: {
      layout: JSON.parse(layout) as StudentLayout,
      positions,
      ...(names && { names: copied(names, "i32", (data) => new Int32Array(data as Int32Array)) }),
    },
  };
}

/** Out of Python's memory; the proxy is given back. */
function copied<T>(proxy: PyBuffer, type: "u8" | "i32", copy: (data: unknown) => T): T {
  const view = proxy.getBuffer(type);
  try {
    return copy(view.data);
  } finally {
    view.release();
    proxy.destroy();
  }
}

/** Loaded models; as its Python half, it never rejects for anything that a client can cause. */
export class CoreSession {
  readonly #session: PySession;

  constructor(
    pyodide: PyodideAPI,
    { manifestText, vocabulary, nameTable, engine, kept }: LoadedModel,
    limits?: Limits,
    memory?: readonly MemoryEntry[],
  ) {
    const bridge = pyodide.pyimport("dragoman.bridge") as unknown as Bridge;
    const bytes = pyodide.toPy(vocabulary) as PyProxy;
    const names = nameTable && (pyodide.toPy(nameTable) as PyProxy);
    try {
      this.#session = bridge.open_session(
        manifestText,
        bytes,
        engineFunction(engine),
        limits && JSON.stringify(limits),
        kept,
        names,
        memory && JSON.stringify(memory),
      );
    } catch (error) {
      throw pythonError(pyodide, bridge) ?? error;
    } finally {
      bytes.destroy();
      names?.destroy();
    }
  }

  /** Models that a request may need. */
  offer(models: readonly OfferedModel[], load: LoadModel): void {
    this.#session.offer(JSON.stringify(models), async (bundle) => {
      const { manifestText, vocabulary, nameTable, engine, kept } = await load(bundle);
      return { manifest: manifestText, vocabulary, names: nameTable, run: engineFunction(engine), kept };
    });
  }

  async load(id: number, source: string, target: string): Promise<LoadOutcome> {
    return JSON.parse(await ended(this.#session.load(id, source, target))) as LoadOutcome;
  }

  unload(source: string, target: string): Promise<void> {
    return ended(this.#session.unload(source, target));
  }

  async translate(id: number, request: TranslationRequest, onProgress?: OnProgress): Promise<Outcome> {
    return JSON.parse(await ended(this.#session.translate(id, JSON.stringify(request), onProgress))) as Outcome;
  }

  async graph(id: number, graph: Graph, onOutput: OnOutput): Promise<GraphOutcome> {
    const told = (name: string, outcome: string): void => {
      onOutput(name, JSON.parse(outcome) as Outcome);
    };
    return JSON.parse(await ended(this.#session.graph(id, JSON.stringify(graph), told))) as GraphOutcome;
  }

  /** What reads documents must be there: `importDocuments`. */
  async document(id: number, content: Uint8Array, asked: DocumentAsked, ears: DocumentEars): Promise<DocumentOutcome> {
    let bytes = new Uint8Array();
    const outcome = JSON.parse(await ended(this.#session.document(
      id,
      content,
      JSON.stringify(asked),
      ears.onprogress,
      (textJson) => {
        ears.onbeginning(JSON.parse(textJson) as string);
      },
      (proxy) => {
        bytes = bufferBytes(proxy);
      },
    ))) as ToldOutcome;
    if (!outcome.ok) return outcome;
    const { name, mediaType, ...told } = outcome.document;
    return { ok: true, document: { ...told, file: new File([bytes], name, { type: mediaType }) } };
  }

  startStream(id: number, options: StreamOptions): StartOutcome {
    return JSON.parse(this.#session.start(id, JSON.stringify(options))) as StartOutcome;
  }

  /** Whether the stream takes more; if not, `nextPiece` says why. */
  feed(id: number, text: string): Promise<boolean> {
    return ended(this.#session.feed(id, JSON.stringify(text)));
  }

  finish(id: number): Promise<boolean> {
    return ended(this.#session.finish(id));
  }

  async nextPiece(id: number): Promise<PieceOutcome> {
    return JSON.parse(await ended(this.#session.next_piece(id))) as PieceOutcome;
  }

  cancel(id: number, output?: string): void {
    this.#session.cancel(id, output);
  }

  prioritize(id: number, priority: Priority): void {
    this.#session.prioritize(id, priority);
  }

  statistics(): Statistics {
    return JSON.parse(this.#session.statistics()) as Statistics;
  }

  /** What should be done about sentences that are kept. */
  news(most: number): readonly SentenceNews[] {
    return JSON.parse(this.#session.news(most)) as readonly SentenceNews[];
  }

  clearCache(): void {
    this.#session.clear_cache();
  }

  async close(): Promise<void> {
    await ended(this.#session.close());
    this.#session.destroy();
  }
}

/** The result of a coroutine, which is given back to Python however it ends. */
async function ended<T>(coroutine: Coroutine<T>): Promise<T> {
  try {
    return await coroutine;
  } finally {
    coroutine.destroy();
  }
}

/** An output that Python empties when it has its copy: collected, they would come to tens of megabytes before. */
interface PyOutput extends EngineOutput {
  readonly release: () => void;
}

/** What the bridge calls: Python buffers in, typed arrays out. */
function engineFunction(engine: EngineHost) {
  const run = (
    ids: PyBuffer,
    lengths: PyBuffer,
    limits: PyBuffer,
    rows: number,
    width: number,
    attention: boolean,
    search?: PyBuffer,
    prefixes?: PyBuffer,
  ): Promise<PyOutput> =>
    engine.run({
      ids: takeInts(ids),
      lengths: takeInts(lengths),
      limits: takeInts(limits),
      rows,
      width,
      attention,
      ...(search && prefixes && { beams: beamsOf(search, takeInts(prefixes)) }),
    }).then((output) => ({ ...output, release: () => { release(...buffersOf(output)); } }));
  return Object.assign(run, {
    stop: () => {
      engine.stop();
    },
    close: () => {
      engine.close();
    },
  });
}

/** The fields of a `Search` of `py/dragoman/types/search.py`, in its order. */
function beamsOf(search: PyBuffer, prefixes: Int32Array<ArrayBuffer>): BeamInput {
  const view = search.getBuffer("f64");
  try {
    const [beam = 1, kept = 1, branching = 0, normalize = 1, wordPenalty = 0] = view.data as Float64Array;
    return { beam, kept, branching: branching !== 0, normalize, wordPenalty, prefixes };
  } finally {
    view.release();
  }
}

/** A copy outside of Python's memory; the proxy is Pyodide's. */
function bufferBytes(proxy: PyBuffer): Uint8Array<ArrayBuffer> {
  const view = proxy.getBuffer("u8");
  try {
    return new Uint8Array(view.data as Uint8Array);
  } finally {
    view.release();
  }
}

/** A copy outside of Python's memory, which can be transferred. */
function takeInts(proxy: PyBuffer): Int32Array<ArrayBuffer> {
  const view = proxy.getBuffer("i32");
  try {
    return new Int32Array(view.data as Int32Array);
  } finally {
    view.release(); // The proxy is Pyodide's: it is destroyed when the promise settles, not before.
  }
}

/** The DragomanError that Python raised last, with its code. */
function pythonError(pyodide: PyodideAPI, bridge: Bridge): DragomanError | undefined {
  const sys = pyodide.pyimport("sys") as unknown as { last_exc?: PyProxy & { code?: unknown } };
  if (typeof sys.last_exc?.code !== "string") return undefined;
  const data = bridge.error_data(sys.last_exc) as PyProxy;
  const { code, message, details } = data.toJs({ dict_converter: Object.fromEntries }) as WireError;
  return new DragomanError(code, message, details);
}
