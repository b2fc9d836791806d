/** Firefox: the background page, which is also where the engine is. */

import { startBackground } from "./background.ts";
import "../engine/host.ts";

startBackground(() => Promise.resolve());
