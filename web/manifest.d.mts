export interface Manifest {
  readonly start_url: string;
  readonly file_handlers: readonly { readonly action: string; readonly accept: Readonly<Record<string, string[]>>; readonly launch_type: string }[];
  readonly share_target: {
    readonly action: string;
    readonly params: { readonly title: string; readonly text: string; readonly url: string; readonly files: readonly { readonly name: string; readonly accept: readonly string[] }[] };
  };
}

export function manifestOf(text: string, mediaTypes: Readonly<Record<string, readonly string[]>>): Manifest;
