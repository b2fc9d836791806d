/**
 * Where the built files are.
 *
 *     a site         all below one folder, the base
 *     a bundler's    wherever it put each one: `urls` has the address of a file by the one that it would
 *                    have below the base, which names the file and is itself never asked for
 */

export type Urls = Readonly<Record<string, string>>;

export interface Place {
  /** With a slash at its end. */
  readonly base: string;
  readonly urls?: Urls | undefined;
}

/** The address of a file, by its path below the base. */
export function addressOf({ base, urls }: Place, path: string): string {
  const plain = new URL(path, base).href;
  return urls?.[plain] ?? plain;
}

/** Has everything that is fetched in this thread come from where it is. */
export function fetchFrom({ urls }: Place, scope: Pick<WindowOrWorkerGlobalScope, "fetch">): void {
  if (!urls) return;
  const plain = scope.fetch.bind(scope);
  scope.fetch = (input, init) => {
    const asked = input instanceof Request ? input.url : String(input);
    return plain(urls[asked] ?? input, init);
  };
}

/** A worker may come from another origin, which the constructor refuses: its first line imports it then. */
export function startWorker(address: string, name?: string): Worker {
  const options: WorkerOptions = { type: "module", ...(name !== undefined && { name }) };
  if (new URL(address).origin === location.origin) return new Worker(address, options);
  const script = URL.createObjectURL(new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" }));
  const worker = new Worker(script, options);
  URL.revokeObjectURL(script);
  return worker;
}
