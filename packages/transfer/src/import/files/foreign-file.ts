import type { ContentBlock, CustomBlock } from '@bough/core';

const TYPE = 'imported_file';

/** A file that another program's message refers to, among its blocks until it is known whether the export holds it. */
export interface ForeignFile extends CustomBlock {
  readonly type: typeof TYPE;
  /** What the source calls it, in the report of what was left out. */
  readonly kind: string;
  /** What its name in the export is, or begins with. */
  readonly ids: readonly string[];
  readonly name: string | null;
  readonly mediaType: string | null;
  /** What the source took out of it, where that is all that an export holds. */
  readonly text: string | null;
  /** Its bytes, where the message itself holds them. */
  readonly base64: string | null;
}

export function foreignFile(
  kind: string,
  about: Partial<Pick<ForeignFile, 'ids' | 'name' | 'mediaType' | 'text' | 'base64'>>,
): ForeignFile {
  return { type: TYPE, kind, ids: [], name: null, mediaType: null, text: null, base64: null, ...about };
}

/** Only readers make them: what a source itself calls `imported_file` never reaches the blocks under that name. */
export const isForeignFile = (block: ContentBlock): block is ForeignFile => block.type === TYPE;

/** A file by its address: its bytes where the address holds them, otherwise what it is called. */
export function fileAt(kind: string, address: string, about: { readonly name?: string | null } = {}): ForeignFile {
  const [, mediaType, base64] = /^data:([^;,]*)(?:;[^,;]*)*;base64,(.*)$/s.exec(address) ?? [];
  if (base64 !== undefined) return foreignFile(kind, { ...about, mediaType: mediaType || null, base64 });
  const name = nameIn(address);
  return foreignFile(kind, { ids: name === '' ? [] : [name], name: name === '' ? null : name, ...about });
}

/** The last part of a path or an address. */
function nameIn(address: string): string {
  const last =
    address
      .replace(/[?#].*$/s, '')
      .split(/[/\\]/)
      .findLast((part) => part !== '') ?? '';
  return last.length > 200 ? '' : last;
}
