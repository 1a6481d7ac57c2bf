export type ProviderToolKind =
  | 'web_search'
  | 'web_fetch'
  | 'code_execution'
  | 'file_search'
  | 'image_generation'
  | 'remote_mcp'
  | 'other';

/** Where something was found. At least one of the two is known. */
export interface Source {
  /** Only web addresses: anything else that a provider or a page calls an address could run when it is opened. */
  readonly url: string | null;
  readonly title: string | null;
}

/** A picture as the provider sent it. */
export interface ProviderPicture {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** What a tool that the provider runs itself did, in the same words for every provider. */
export interface ProviderToolUse {
  readonly kind: ProviderToolKind;
  /** The tool's own name, where the kind does not say it: `server › tool`. */
  readonly name: string | null;
  readonly queries: readonly string[];
  readonly urls: readonly string[];
  readonly code: string | null;
  readonly sources: readonly Source[];
  readonly output: string | null;
  /** Names of files that were read or made. */
  readonly files: readonly string[];
  readonly pictures: readonly ProviderPicture[];
  readonly error: string | null;
  /** `running`: its result has not come, or never came. */
  readonly state: 'running' | 'done' | 'failed';
}

/** A passage of a text, and where the provider says that it is from. Offsets are those of a JavaScript string. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly source: Source;
  /** What the source says. */
  readonly quoted: string | null;
}
