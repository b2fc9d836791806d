/** Firefox: the background page, which is also where the engine is. */

import { api } from "../api.ts";
import { startHost } from "../engine/host.ts";
import { connectNative } from "../native/ports.ts";
import { startBackground } from "./background.ts";

// Whoever asks the browser something is not put to sleep.
const models = startHost(() => void api.runtime.getPlatformInfo(), connectNative);
startBackground({ wake: () => Promise.resolve(), openNative: () => Promise.resolve(false), fetch: (pair) => models.fetch(pair) });
