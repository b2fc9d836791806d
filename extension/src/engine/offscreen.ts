/** Chrome's offscreen document: the browser keeps it as long as it is wanted. */

import { relayedNative } from "../native/ports.ts";
import { startHost } from "./host.ts";

startHost(() => undefined, relayedNative());
