import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import { hasCode } from '../disk/index.ts';

/** What the index keeps of a message or the name of a branch: enough to find and to order it, and nothing to read. */
export interface IndexedThing {
  readonly kind: 'node' | 'branch';
  readonly id: string;
  /** Changes with what is searched: the name itself, a checksum of a message. */
  readonly mark: string;
  readonly createdAt: string;
}

export interface IndexLine extends IndexedThing {
  /** Each lexeme between spaces. */
  readonly lexemes: string;
}

/** After the last line: everything that this state of the project has is above. Anything that follows makes it void. */
export interface StampLine {
  readonly stamp: string;
}

const VERSION = 'bough search 1';

export const HEAD = lineText([VERSION]);

export const indexLine = ({ kind, id, mark, createdAt }: IndexedThing, lexemes: readonly string[]): string =>
  lineText([kind, id, mark, createdAt], ` ${lexemes.join(' ')} `);

export const stampLine = (stamp: string): string => lineText(['stamp', stamp]);

/** A checksum, JSON, and the lexemes. Nothing is synced: the checksum reveals what a power cut tore. */
function lineText(told: readonly string[], lexemes = ''): string {
  const text = `${JSON.stringify(told)}\t${lexemes}`;
  return `${crc32(text)}\t${text}\n`;
}

/**
 * The lines of a file, a piece of it in memory at a time. Null, once and as the last one, where the file is missing,
 * torn or not ours: then it is made again.
 */
export async function* readLines(path: string): AsyncIterable<IndexLine | StampLine | null> {
  let rest: Buffer = Buffer.alloc(0);
  let first = true;
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const bytes: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        const line = parseLine(bytes.subarray(start, end), first);
        first = false;
        start = end + 1;
        if (line === 'head') continue;
        yield line;
        if (line === null) return;
      }
      rest = bytes.subarray(start);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EIO')) throw error;
    yield null;
    return;
  }
  if (first || rest.length > 0) yield null;
}

function parseLine(bytes: Buffer, first: boolean): IndexLine | StampLine | 'head' | null {
  const tab = bytes.indexOf(9);
  const checked = bytes.subarray(tab + 1);
  if (tab < 0 || bytes.toString('latin1', 0, tab) !== String(crc32(checked))) return null;
  const text = checked.toString('utf8');
  const end = text.indexOf('\t');
  // The checksum says that it is as it was written.
  const [kind, id, mark, createdAt] = JSON.parse(text.slice(0, end)) as readonly string[];
  if (first) return kind === VERSION ? 'head' : null;
  if (kind === 'stamp') return { stamp: id ?? '' };
  if ((kind !== 'node' && kind !== 'branch') || id === undefined || mark === undefined || createdAt === undefined)
    return null;
  return { kind, id, mark, createdAt, lexemes: text.slice(end + 1) };
}
