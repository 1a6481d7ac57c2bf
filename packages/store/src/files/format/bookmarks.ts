import { readInside } from '../../on-disk/inside/index.ts';

/** A place in a tree that somebody gave a title to. */
export interface Bookmark {
  readonly title: string;
  readonly rootId: string;
  readonly nodeId: string;
  readonly createdAt: string;
}

export const CONFIG_FILE = 'config.toml';

/** Loom's configuration also holds keys of providers: nothing but its bookmarks is looked at. */
export async function readBookmarks(base: string): Promise<readonly Bookmark[] | null> {
  return readInside(base, CONFIG_FILE, (bytes) => {
    const text = bytes.toString('utf8');
    return isEditable(text) ? parseBookmarks(text) : null;
  });
}

/** Loom's own writer gives an empty list on one line, and a list with something in it as tables. */
const EMPTY_LIST = /^\s*bookmarks\s*=\s*\[\s*\]\s*(?:#.*)?$/;

/** A list that was written in another way, by hand, stays as it is: a second one would make the file unreadable. */
export const isEditable = (text: string): boolean =>
  text.split(/\r?\n/).every((line) => !/^\s*"?bookmarks"?\s*=/.test(line) || EMPTY_LIST.test(line));

export const isSameBookmark = (a: Bookmark, b: Bookmark): boolean =>
  a.title === b.title && a.rootId === b.rootId && a.nodeId === b.nodeId && a.createdAt === b.createdAt;

/** The configuration without some bookmarks and with others. Every other line keeps its bytes. */
export function editBookmarks(
  text: string,
  isRemoved: (bookmark: Bookmark) => boolean,
  added: readonly Bookmark[],
): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    if (!TABLE.test(line)) {
      // An empty list and tables of the same name do not go together.
      if (added.length === 0 || !EMPTY_LIST.test(line)) kept.push(line);
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < lines.length && !/^\s*\[/.test(lines[end] ?? '')) end += 1;
    const [bookmark] = parseBookmarks(lines.slice(at, end).join('\n'));
    if (bookmark === undefined || !isRemoved(bookmark)) kept.push(...lines.slice(at, end));
    // The file ends with a newline as it did before.
    else if (end === lines.length && kept.at(-1) !== '') kept.push('');
    at = end;
  }
  const rest = kept.join('\n');
  const tables = added.map(tableText).join('\n');
  if (tables === '') return rest;
  return `${rest.trim() === '' ? '' : `${rest.replace(/\n*$/, '')}\n\n`}${tables}`;
}

const TABLE = /^\s*\[\[\s*bookmarks\s*\]\]\s*(?:#.*)?$/;

function tableText({ title, rootId, nodeId, createdAt }: Bookmark): string {
  const fields = { title, rootId, nodeId, createdAt, updatedAt: createdAt };
  const text = Object.entries(fields).map(([name, value]) => `${name} = ${quoted(value)}\n`);
  return `[[bookmarks]]\n${text.join('')}`;
}

/** A basic string of TOML; JSON's escapes are among those that it knows, and U+007F must be escaped as well. */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\u007f', String.raw`\u007f`);

/** The tables `[[bookmarks]]`, which hold texts only. */
export function parseBookmarks(text: string): readonly Bookmark[] {
  const tables: Map<string, string>[] = [];
  let table: Map<string, string> | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) {
      table = TABLE.test(line) ? new Map() : null;
      if (table) tables.push(table);
      continue;
    }
    const [, name, quoted] = /^\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/.exec(line) ?? [];
    if (table && name !== undefined && quoted !== undefined) table.set(name, textIn(quoted));
  }
  return tables.flatMap((found): Bookmark[] => {
    const [title, rootId, nodeId] = ['title', 'rootId', 'nodeId'].map((name) => found.get(name));
    if (title === undefined || rootId === undefined || nodeId === undefined) return [];
    return [{ title, rootId, nodeId, createdAt: found.get('createdAt') ?? '1970-01-01T00:00:00.000Z' }];
  });
}

function textIn(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch (error) {
    // Escapes that TOML has and JSON has not are rare; the letters as they stand still tell what was meant.
    if (error instanceof SyntaxError) return quoted.slice(1, -1);
    throw error;
  }
}
