/**
 * What `Translator.create` tells of the loading.
 *
 *     "downloadprogress"   the model's files, `loaded` of a `total` that is always 1 (the standard's)
 *     "loading"            every stage by itself, in bytes
 */

import type { LoadingMessage, LoadingStage } from "../wire/protocol.ts";

export class DownloadProgressEvent extends Event {
  readonly lengthComputable = true;
  readonly total = 1;
  readonly loaded: number;

  constructor(loaded: number) {
    super("downloadprogress");
    this.loaded = loaded;
  }
}

export class LoadingEvent extends Event {
  readonly stage: LoadingStage;
  readonly loaded: number;
  /** 0 where it is not known. */
  readonly total: number;

  constructor({ stage, loaded, total }: LoadingMessage) {
    super("loading");
    this.stage = stage;
    this.loaded = loaded;
    this.total = total;
  }
}

interface CreateMonitorEvents {
  downloadprogress: DownloadProgressEvent;
  loading: LoadingEvent;
}

export class CreateMonitor extends EventTarget {
  override addEventListener<K extends keyof CreateMonitorEvents>(
    type: K,
    listener: (event: CreateMonitorEvents[K]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    super.addEventListener(type, listener, options);
  }

  report(message: LoadingMessage): void {
    this.dispatchEvent(new LoadingEvent(message));
    if (message.stage === "model" && message.total > 0) {
      this.dispatchEvent(new DownloadProgressEvent(message.loaded / message.total));
    }
  }
}
