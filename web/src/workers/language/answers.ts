/** Files of the build, as this worker asks for them. */

import { DragomanError } from "../../wire/errors.ts";

/** @throws DragomanError "network" */
export async function fetchAnswer(url: URL): Promise<Response> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new DragomanError("network", `a file could not be fetched: ${url.pathname}: ${String(error)}`);
  });
  if (!response.ok) {
    throw new DragomanError("network", `a file could not be fetched: ${url.pathname}: status ${response.status}`);
  }
  return response;
}
