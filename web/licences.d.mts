export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
}
export function packagesIn(metafile: Metafile): string[];
export function copyLicence(name: string, to: string, modules?: string): void;
