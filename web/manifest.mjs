// The manifest of the installed app: what is written by hand in web/demo/manifest.webmanifest, and the documents
// that it opens and is sent, which the core's table of kinds says (web/src/wire/contract.json).

/** The field of a shared form that has files; web/src/stores/shared-store.ts reads it. */
const FILES = "documents";

/** @param mediaTypes endings of names by media type: `{"text/csv": ["csv"]}`. */
export function manifestOf(text, mediaTypes) {
  const manifest = JSON.parse(text);
  const accept = Object.fromEntries(
    Object.entries(mediaTypes).map(([type, endings]) => [type, endings.map((ending) => `.${ending}`)]),
  );
  const shared = Object.entries(accept).flatMap(([type, endings]) => [type, ...endings]);
  return {
    ...manifest,
    file_handlers: [{ action: manifest.start_url, accept, launch_type: "single-client" }],
    share_target: {
      ...manifest.share_target,
      params: { ...manifest.share_target.params, files: [{ name: FILES, accept: shared }] },
    },
  };
}
