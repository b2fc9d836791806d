/**
 * The kernel as an engine: this worker's instance and, where the page is cross-origin isolated, threads
 * with instances of their own over the same memory, hence one copy of the weights.
 *
 *     run --> parts --taken by this instance, thread 1, thread 2 ... as they get free--> gather
 *
 * The threads are workers of this worker and end with it.
 */

import { addressOf, startWorker, type Place } from "../../base/addresses.ts";
import { deferred, type Deferred } from "../../base/deferred.ts";
import { DragomanError } from "../../wire/errors.ts";
import { runBatch, type Pause } from "../../kernel/batch.ts";
import { Kernel, type KernelModules } from "../../kernel/kernel.ts";
import { partsFor, takeParts } from "../../kernel/parts.ts";
import { gather } from "../../kernel/rows.ts";
import type {
  EngineInput,
  EngineOutput,
  EngineToThread,
  Parts,
  PlacedModel,
  ThreadToEngine,
} from "../../wire/engine-protocol.ts";
import type { ThreadChoice } from "./thread-choice.ts";

const KERNEL_FILES = ["relaxed", "plain"] as const;

/** The kernel's variants, and the address of the script of a thread. */
export interface KernelFiles extends KernelModules {
  readonly thread: string;
}

/** The kernel's variants for this page, compiled while they come. */
export async function fetchKernel(place: Place, shared: boolean): Promise<KernelFiles> {
  const [relaxed, plain] = await Promise.all(
    KERNEL_FILES.map(async (simd) => {
      const url = new URL(`runtime/kernel/${simd}-${shared ? "shared" : "one"}.wasm`, place.base);
      const response = await fetch(url);
      if (!response.ok) throw new DragomanError("network", `${url.pathname}: status ${response.status}`, {});
      const bytes = await response.arrayBuffer();
      // Not every browser knows the relaxed instructions.
      return WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : undefined;
    }),
  );
  if (!plain) throw new DragomanError("not-supported", "this browser has no WebAssembly SIMD", {});
  return { relaxed, plain, shared, thread: addressOf(place, ENGINE_THREAD) };
}

export class KernelEngine {
  readonly #kernel: Kernel;
  readonly #model: PlacedModel;
  readonly #threads: readonly Thread[];
  readonly #choice: ThreadChoice;

  /**
   * @param place puts the model into the memory.
   * @param choice of one thread, unless the modules share their memory.
   */
  static async start(
    modules: KernelFiles,
    place: (kernel: Kernel) => PlacedModel,
    choice: ThreadChoice,
  ): Promise<KernelEngine> {
    const kernel = await Kernel.start(modules);
    const model = place(kernel);
    const others = Array.from({ length: choice.threads - 1 }, () => Thread.start(modules.thread, kernel, model));
    try {
      return new KernelEngine(kernel, model, await Promise.all(others), choice);
    } catch (error) {
      for (const other of others) void other.then((thread) => { thread.end(); }, () => undefined);
      throw error;
    }
  }

  private constructor(kernel: Kernel, model: PlacedModel, threads: readonly Thread[], choice: ThreadChoice) {
    this.#kernel = kernel;
    this.#model = model;
    this.#threads = threads;
    this.#choice = choice;
  }

  /** `pause` is awaited between slices of work; its rejection ends the run in every thread. */
  async run(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    const threads = this.#choice.threadsFor(input.rows);
    const start = performance.now();
    const count = partsFor(input.rows, threads);
    // What is not shared is counted all the same: this instance takes all there is.
    const taken = new Int32Array(threads > 1 ? new SharedArrayBuffer(4) : new ArrayBuffer(4));
    const parts = { count, taken };
    const runs = this.#threads.slice(0, Math.min(threads, count) - 1).map((thread) => thread.run(input, parts));
    const running = Promise.all(runs.map((run) => run.outputs));
    running.catch(() => undefined); // A thread may fail while this one is still at work.
    try {
      const own = await takeParts(input, parts, pause, (part, rest) =>
        runBatch(this.#kernel, this.#model, part, rest),
      );
      const outputs = [own, ...(await running)].flat().sort(([one], [other]) => one - other);
      const output = gather(
        input,
        outputs.map(([, part]) => part),
      );
      const cells = input.rows * (input.width + output.steps * (input.beams?.beam ?? 1));
      this.#choice.took(threads, input.rows, cells, performance.now() - start);
      return output;
    } catch (error) {
      for (const run of runs) run.stop();
      await Promise.allSettled(runs.map(({ outputs }) => outputs));
      throw error;
    }
  }

  /** End the threads; the memory goes with what refers to it. */
  close(): Promise<void> {
    for (const thread of this.#threads) thread.end();
    return Promise.resolve();
  }
}

type Outputs = Extract<ThreadToEngine, { type: "output" }>["outputs"];

interface ThreadRun {
  readonly outputs: Promise<Outputs>;
  stop(): void;
}

class Thread {
  /**
   * Until they have joined nobody else refers to them: the engine that is to have them waits for them, and is referred
   * to by their own handlers only. A browser may collect such a worker, and no event would tell of it.
   */
  static readonly #starting = new Set<Thread>();

  readonly #worker: Worker;
  readonly #joined = deferred<undefined>();
  #run: Deferred<Outputs> | undefined;
  #lastTicket = 0;

  static async start(script: string, kernel: Kernel, model: PlacedModel): Promise<Thread> {
    const thread = new Thread(script);
    Thread.#starting.add(thread);
    try {
      thread.#post({ type: "join", module: kernel.module, memory: kernel.memory, model });
      await thread.#joined.promise;
    } catch (error) {
      thread.end();
      throw error;
    } finally {
      Thread.#starting.delete(thread);
    }
    return thread;
  }

  private constructor(script: string) {
    this.#worker = startWorker(script);
    this.#worker.onmessage = ({ data }: MessageEvent<ThreadToEngine>) => {
      this.#receive(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const message = "message" in event ? event.message : "its script did not load";
      this.#fail(new DragomanError("engine", `a thread of the engine failed: ${message}`, {}));
    };
  }

  /** Every thread has a copy of the rows, of which it takes the parts that are left. */
  run(input: EngineInput, parts: Parts): ThreadRun {
    const ticket = ++this.#lastTicket;
    this.#run = deferred<Outputs>();
    this.#post({ ...input, type: "run", ticket, parts });
    return {
      outputs: this.#run.promise,
      stop: () => {
        this.#post({ type: "stop", ticket });
      },
    };
  }

  end(): void {
    this.#worker.terminate();
  }

  #post(message: EngineToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: ThreadToEngine): void {
    if (message.type === "joined") {
      this.#joined.resolve(undefined);
    } else if (message.type === "failed") {
      const { code, message: text, details } = message.error;
      this.#fail(new DragomanError(code, text, details));
    } else {
      this.#run?.resolve(message.outputs);
    }
  }

  #fail(error: DragomanError): void {
    this.#joined.reject(error);
    this.#run?.reject(error);
  }
}
