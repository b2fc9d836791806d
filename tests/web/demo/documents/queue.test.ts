import { describe, expect, it, vi } from "vitest";
import { DocumentQueue, type DocumentTranslator, type Job, type Place } from "../../../../web/demo/documents/queue.ts";
import type { TranslateDocumentOptions } from "../../../../web/src/api/documents.ts";
import { deferred, type Deferred } from "../../../../web/src/base/deferred.ts";
import { DragomanError } from "../../../../web/src/wire/errors.ts";
import type { TranslatedDocument } from "../../../../web/src/wire/protocol.ts";
import type { LanguageDoubt } from "../../../../web/src/ui/language-notice.ts";

interface Started {
  readonly name: string;
  readonly options: TranslateDocumentOptions;
  readonly answer: Deferred<TranslatedDocument>;
}

const DONE: TranslatedDocument = { file: new File(["x"], "a.en.txt"), kind: "txt", sentences: 2, doubtful: 0, warnings: {} };

const NONE: LanguageDoubt = { name: "none" };

interface Given {
  readonly doubt?: LanguageDoubt | Promise<LanguageDoubt>;
  /** In place of a translator, asked anew each time. */
  readonly without?: () => "unknown" | "missing" | undefined;
}

function queue({ doubt = NONE, without = () => undefined }: Given = {}) {
  const started: Started[] = [];
  const jobs: Job[] = [];
  const release = vi.fn();
  const translator: DocumentTranslator = {
    translateDocument: (content, options) => {
      if (!options) throw new Error("a document came without options");
      const answer = deferred<TranslatedDocument>();
      options.signal?.addEventListener("abort", () => { answer.reject(options.signal?.reason); });
      started.push({ name: content instanceof File ? content.name : "", options, answer });
      return answer.promise;
    },
  };
  const place = (): Place | "unknown" | "missing" =>
    without() ?? { source: "de", target: "en", translator: Promise.resolve(translator), release };
  const onchange = (job: Job): void => {
    if (!jobs.includes(job)) jobs.push(job);
  };
  const made = new DocumentQueue({ place, doubt: () => Promise.resolve(doubt), onchange });
  const nth = async (index: number): Promise<Started> =>
    vi.waitFor(() => {
      const call = started[index];
      if (!call) throw new Error(`document ${index} was not started`);
      return call;
    });
  const job = (index: number): Job => {
    const job = jobs[index];
    if (!job) throw new Error(`there is no job ${index}`);
    return job;
  };
  return { queue: made, started, nth, job, release };
}

describe("DocumentQueue", () => {
  it("translates one after the other", async () => {
    const { queue: documents, started, nth, job, release } = queue();
    documents.add(new File(["a"], "a.txt"));
    documents.add(new File(["b"], "b.txt"));
    const first = await nth(0);
    first.options.onprogress?.({ done: 1, total: 4 });
    expect([job(0).state, job(1).state]).toEqual([{ name: "translating", done: 1, total: 4 }, { name: "waiting" }]);
    expect([started.length, documents.isBusy]).toEqual([1, true]);
    first.answer.resolve(DONE);
    (await nth(1)).answer.resolve(DONE);
    await vi.waitFor(() => { expect(job(1).state).toEqual({ name: "done", document: DONE }); });
    expect([release.mock.calls.length, documents.isBusy]).toEqual([2, false]);
  });

  it("waits for languages when it is asked before there are any", async () => {
    let known = false;
    const { queue: documents, started, nth, job } = queue({ without: () => (known ? undefined : "unknown") });
    documents.add(new File(["a"], "a.txt"));
    expect([job(0).state, job(0).source, documents.isBusy]).toEqual([{ name: "waiting" }, "", true]);
    known = true;
    documents.known();
    (await nth(0)).answer.resolve(DONE);
    await vi.waitFor(() => { expect(job(0).state).toEqual({ name: "done", document: DONE }); });
    expect([started.length, job(0).source]).toEqual([1, "de"]);
  });

  it("cancels, and begins again", async () => {
    const { queue: documents, nth, job, release } = queue();
    documents.add(new File(["a"], "a.txt"));
    const first = await nth(0);
    documents.cancel(job(0));
    expect(first.options.signal?.aborted).toBe(true);
    expect([job(0).state.name, release.mock.calls.length]).toEqual(["cancelled", 1]);
    documents.again(job(0));
    (await nth(1)).answer.resolve(DONE);
    await vi.waitFor(() => { expect(job(0).state.name).toBe("done"); });
  });

  it("asks which columns, and goes on with those", async () => {
    const { queue: documents, nth, job } = queue();
    documents.add(new File(["a,b"], "a.csv"));
    const details = { reason: "columns", columns: '["a", "b"]' };
    (await nth(0)).answer.reject(new DragomanError("document", "name the columns", details));
    await vi.waitFor(() => { expect(job(0).state).toEqual({ name: "columns", columns: ["a", "b"] }); });
    documents.choose(job(0), ["b"]);
    expect((await nth(1)).options.columns).toEqual(["b"]);
  });

  it("stops at another language until a person says to go on", async () => {
    const { queue: documents, nth, job } = queue({ doubt: { name: "other", language: "en" } });
    documents.add(new File(["a"], "a.txt"));
    (await nth(0)).options.onbeginning?.("This is English.");
    await vi.waitFor(() => { expect(job(0).state).toEqual({ name: "doubt", doubt: { name: "other", language: "en" } }); });
    documents.anyway(job(0));
    const again = await nth(1);
    again.options.onbeginning?.("This is English.");
    again.answer.resolve(DONE);
    await vi.waitFor(() => { expect(job(0).state.name).toBe("done"); });
  });

  it("asks about the language of a document that is translated before its language is told", async () => {
    const told = deferred<LanguageDoubt>();
    const { queue: documents, nth, job } = queue({ doubt: told.promise });
    documents.add(new File(["a"], "a.txt"));
    const first = await nth(0);
    first.options.onbeginning?.("This is English.");
    first.answer.resolve(DONE);
    await first.answer.promise;
    told.resolve({ name: "other", language: "en" });
    await vi.waitFor(() => { expect(job(0).state).toEqual({ name: "doubt", doubt: { name: "other", language: "en" } }); });
    expect(documents.isBusy).toBe(false);
  });

  it("says what failed, and what has no model yet", async () => {
    const { queue: documents, nth, job } = queue();
    documents.add(new File(["a"], "a.txt"));
    const error = new DragomanError("document", "damaged", { reason: "damaged" });
    (await nth(0)).answer.reject(error);
    await vi.waitFor(() => { expect(job(0).state).toEqual({ name: "failed", error }); });
    const without = queue({ without: () => "missing" });
    without.queue.add(new File(["a"], "a.txt"));
    expect([without.job(0).state, without.started.length]).toEqual([{ name: "no-model" }, 0]);
  });

  it("forgets a job that is removed while it runs, and goes on", async () => {
    const { queue: documents, nth, job } = queue();
    documents.add(new File(["a"], "a.txt"));
    documents.add(new File(["b"], "b.txt"));
    const first = await nth(0);
    documents.remove(job(0));
    expect(first.options.signal?.aborted).toBe(true);
    expect((await nth(1)).name).toBe("b.txt");
  });
});
