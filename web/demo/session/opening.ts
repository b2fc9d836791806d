/**
 * What the installed app is opened for, beside its page: `./?open=documents` of a shortcut, `./?open=shared` after
 * another app shared something, and files that were opened with it.
 */

export type Opening = "documents" | "history" | "shared";

const OPENINGS: readonly string[] = ["documents", "history", "shared"] satisfies readonly Opening[];

/** Undefined: for nothing in particular. */
export function readOpening(search: string): Opening | undefined {
  const opening = new URLSearchParams(search).get("open");
  return opening !== null && OPENINGS.includes(opening) ? (opening as Opening) : undefined;
}

/** The part of https://wicg.github.io/web-app-launch/ that is used here; Chromium alone has it. */
export interface LaunchQueue {
  setConsumer(consumer: (params: LaunchParams) => void): void;
}

export interface LaunchParams {
  readonly targetURL?: string | undefined;
  readonly files: readonly { getFile(): Promise<File> }[];
}

export interface LaunchTargets {
  readonly onopening: (opening: Opening) => void;
  readonly onfiles: (files: readonly File[]) => void;
  readonly onunreadable: () => void;
}

/**
 * Take what the app is launched with while it is open, and what opened it.
 *
 * @param queue undefined: this browser has none.
 */
export function acceptLaunches(queue: LaunchQueue | undefined, targets: LaunchTargets): void {
  let isFirst = true;
  queue?.setConsumer(({ targetURL, files }) => {
    // The first address is the page's own, which has been read.
    const opening = isFirst || targetURL === undefined ? undefined : readOpening(new URL(targetURL).search);
    isFirst = false;
    if (opening) targets.onopening(opening);
    if (files.length) void Promise.all(files.map((file) => file.getFile())).then(targets.onfiles, targets.onunreadable);
  });
}
