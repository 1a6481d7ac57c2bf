import type { ContentBlock } from '../blocks/index.ts';
import { isPlainObject } from '../blocks/index.ts';
import type { ProviderPicture, ProviderToolUse, Source } from './types.ts';

// Providers, proxies and imports send anything: a value of another type is as good as none.

export type Json = Readonly<Record<string, unknown>>;

/** More than that nobody reads; a reply that lists a million sources must not stop a page. */
const MAX_LIST = 200;
const MAX_LINE = 2_000;
const MAX_TEXT = 200_000;
const MAX_URL = 8_000;

/** The import of a conversation marks blocks that it does not know. */
const IMPORTED = 'anthropic_';

export const fieldsOf = (block: ContentBlock): Json =>
  block.type.startsWith(IMPORTED) ? { ...block, type: block.type.slice(IMPORTED.length) } : (block as Json);

export const objectAt = (of: Json, key: string): Json => (isPlainObject(of[key]) ? of[key] : {});

export function objectsAt(of: Json, key: string): readonly Json[] {
  const value: unknown = of[key];
  return Array.isArray(value) ? value.slice(0, MAX_LIST).filter(isPlainObject) : [];
}

export function stringAt(of: Json, key: string): string | null {
  const value = of[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

export const lineAt = (of: Json, key: string): string | null => cut(stringAt(of, key), MAX_LINE);
export const textAt = (of: Json, key: string): string | null => cut(stringAt(of, key), MAX_TEXT);

export function linesAt(of: Json, key: string): readonly string[] {
  const value: unknown = of[key];
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_LIST).flatMap((each: unknown) => (typeof each === 'string' && each !== '' ? [each] : []));
}

function cut(text: string | null, length: number): string | null {
  return text === null || text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** The texts, one below the other; null if there is none. */
export function joined(...texts: readonly (string | null)[]): string | null {
  const some = texts.filter((text) => text !== null && text !== '');
  return some.length === 0 ? null : cut(some.join('\n'), MAX_TEXT);
}

/** A web address, or null: `javascript:` and its like never become a link. */
export function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL || !/^https?:\/\//i.test(value)) return null;
  // An address with blanks or control characters is not what it looks like.
  // oxlint-disable-next-line no-control-regex
  return /[\s\u0000-\u001F\u007F"<>\\]/.test(value) ? null : value;
}

export function sourceOf(url: unknown, title: unknown): Source | null {
  const address = webAddress(url);
  const name = typeof title === 'string' && title.trim() !== '' ? cut(title.trim(), MAX_LINE) : null;
  return address === null && name === null ? null : { url: address, title: name };
}

/** Each once, by its address or else its title. */
export function distinct(sources: readonly (Source | null)[]): readonly Source[] {
  const known = new Map<string, Source>();
  for (const source of sources) {
    if (source === null || known.size >= MAX_LIST) continue;
    const key = sourceKey(source);
    const before = known.get(key);
    if (before === undefined || (before.title === null && source.title !== null)) known.set(key, source);
  }
  return [...known.values()];
}

export const sourceKey = ({ url, title }: Source): string => url ?? `title ${title ?? ''}`;

export const unique = (values: readonly string[]): readonly string[] => [...new Set(values)].slice(0, MAX_LIST);

const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** SVG is not among them: it is a document, and nobody asked for one. */
export function pictureOf(mediaType: unknown, data: unknown): readonly ProviderPicture[] {
  if (typeof mediaType !== 'string' || !PICTURES.has(mediaType)) return [];
  // Only its beginning is looked at: a picture has millions of characters, and what is none is not drawn.
  if (typeof data !== 'string' || data === '' || !/^[\w+/-]+={0,2}$/.test(data.slice(0, 200))) return [];
  return [{ mediaType, data }];
}

const EMPTY: ProviderToolUse = {
  kind: 'other',
  name: null,
  queries: [],
  urls: [],
  code: null,
  sources: [],
  output: null,
  files: [],
  pictures: [],
  error: null,
  state: 'running',
};

export const toolUse = (facts: Partial<ProviderToolUse>): ProviderToolUse => ({ ...EMPTY, ...facts });

/** What is known of one use from two blocks: of its call and of its result, or of two searches in a row. */
export function together(first: ProviderToolUse, second: ProviderToolUse): ProviderToolUse {
  return {
    kind: first.kind === 'other' ? second.kind : first.kind,
    name: first.name ?? second.name,
    queries: unique([...first.queries, ...second.queries]),
    urls: unique([...first.urls, ...second.urls]),
    code: first.code ?? second.code,
    sources: distinct([...first.sources, ...second.sources]),
    output: joined(first.output, second.output),
    files: unique([...first.files, ...second.files]),
    pictures: [...first.pictures, ...second.pictures],
    error: second.error ?? first.error,
    state: second.state,
  };
}
