/** What is asked of a document. */

import type { DocumentListener } from "../calls/document-call.ts";
import { DOCUMENTS } from "../wire/contract.ts";
import { QuotaError } from "../wire/errors.ts";
import type { DocumentFile, OverlongPolicy, Priority, Term } from "../wire/protocol.ts";

/** A document has no deadline, and always waits for room. */
export interface TranslateDocumentOptions extends DocumentListener {
  readonly signal?: AbortSignal;
  /** Of the file; needed where a Blob is given and its content does not say what it is. */
  readonly name?: string;
  /** "docx", for instance: overrules the name. */
  readonly kind?: string;
  /** Of a table: names in its first row, or numbers from 1; `["all"]` for all with text. */
  readonly columns?: readonly string[];
  /** Of a text that does not say it itself. Default: it is found. */
  readonly encoding?: string;
  readonly overlong?: OverlongPolicy;
  /** Default "background". */
  readonly priority?: Priority;
  /** Whether sentences may come from the cache, and go into it. Default true. */
  readonly cache?: boolean;
  /** Terms for this document too; they count before those of `create`. */
  readonly glossary?: readonly Term[];
}

/**
 * What the worker is told of a file, which is not read here.
 *
 * @throws QuotaError "document-too-large"
 */
export function documentFile(content: Blob, { name, kind, columns, encoding }: TranslateDocumentOptions): DocumentFile {
  const { size } = content;
  if (size > DOCUMENTS.bytes) {
    const details = { requested: size, allowed: DOCUMENTS.bytes, counted: "bytes" };
    throw new QuotaError("document-too-large", `the document has too many bytes: ${size}, ${DOCUMENTS.bytes} are allowed`, details);
  }
  return {
    // One of a frame is of that frame's class.
    name: name ?? (content as Partial<File>).name ?? "",
    ...(kind && { kind }),
    ...(columns && { columns }),
    ...(encoding && { encoding }),
  };
}
