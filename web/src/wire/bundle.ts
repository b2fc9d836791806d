/** What a bundle's manifest says: docs/protocol.md, "Bundle". */

export interface BundleFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A bundle of our own. */
export interface OwnFiles {
  readonly graph: BundleFile;
  readonly vocabulary: BundleFile;
  readonly shortlist?: BundleFile;
  readonly names?: BundleFile;
}

/** Files as others publish them; a vocabulary a side where there is a target's. */
export interface PublishedFiles {
  readonly model: BundleFile;
  readonly vocabulary: BundleFile;
  readonly target_vocabulary?: BundleFile;
  readonly shortlist?: BundleFile;
}

/** The part of `manifest.json` that this side reads. */
export interface Manifest {
  readonly format: number;
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly target: string;
  readonly files: OwnFiles | PublishedFiles;
}
