/** The page that holds the engine, in either browser. */

import { browserEnvironment } from "../../../web/src/api/environment.ts";
import { api } from "../api.ts";
import { EngineHost } from "./engine-host.ts";
import { ENGINE_PORT } from "../messages.ts";

const host = new EngineHost(browserEnvironment());

api.runtime.onConnect.addListener((port) => {
  if (port.name === ENGINE_PORT && port.sender?.id === api.runtime.id) host.accept(port);
});
