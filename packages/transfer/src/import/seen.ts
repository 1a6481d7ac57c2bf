import { isPlainObject } from '@bough/core';
import { open } from 'node:fs/promises';

/** What every refusal of a source ends with: what is read, and what to do where nothing of it is at hand. */
export const WHAT_HELPS =
  'Bough reads the exports of ChatGPT, Claude, LibreChat, Open WebUI, Cherry Studio, TypingMind, SillyTavern, SmallEBot ' +
  'and Mallory, sessions of Claude Code, Codex, Gemini CLI, opencode and pi, data of Loom and ResearchTree, lists of ' +
  'messages of the AI SDK, OpenAI and Anthropic (JSON, JSONL), and its own bundles. Export the conversations as JSON, ' +
  'or as the ZIP file that the program offers.';

const MOST_NAMES = 8;
const LONGEST_NAME = 40;

/** What a value holds, in words: the names of its fields, and those of the first record in it. */
export function seenIn(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list';
    return `a list of ${value.length}, the first of which is ${seenIn(value[0])}`;
  }
  if (!isPlainObject(value)) return value === null ? 'null' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an object without fields';
  const held = names.map((name) => [name, value[name]] as const).find(([, each]) => holdsRecords(each));
  const inside = held === undefined ? '' : `, and "${cut(held[0])}" holds ${seenIn(firstIn(held[1]))}`;
  return `an object with ${listed(names)}${inside}`;
}

const firstIn = (value: unknown): unknown => (Array.isArray(value) ? [value[0]] : Object.values(Object(value))[0]);

/** A list of objects, or an object of objects. */
function holdsRecords(value: unknown): boolean {
  if (Array.isArray(value)) return isPlainObject(value[0]);
  return isPlainObject(value) && isPlainObject(Object.values(value)[0]);
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).map(cut).join(', ')}${more}`;
}

const cut = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

const BEGINNINGS: readonly (readonly [beginning: string, kind: string])[] = [
  ['%PDF-', 'a PDF'],
  ['\u0089PNG', 'a PNG picture'],
  ['\u00ff\u00d8\u00ff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['\u001f\u008b', 'a file that is packed with gzip'],
  ['7z\u00bc\u00af', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['PK\u0005\u0006', 'an empty ZIP file'],
];
/** So much of a file is looked at. */
const HEAD = 4_096;
/** What editors put before a text in UTF-8. */
const MARK = '\u00ef\u00bb\u00bf';

/** What a file is that can hold no records, judged by its beginning; null where it may. */
export async function kindOfFile(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    if (bytesRead === 0) return 'an empty file';
    const start = buffer.subarray(0, bytesRead).toString('latin1');
    const known = BEGINNINGS.find(([beginning]) => start.startsWith(beginning));
    if (known !== undefined) return known[1];
    if (start.includes('\0')) return 'a binary file';
    const text = (start.startsWith(MARK) ? start.slice(MARK.length) : start).trimStart();
    // What follows so much empty space may be anything.
    if (text === '') return bytesRead < HEAD ? 'a file without any words' : null;
    if (/^<(?:!doctype html|html)/i.test(text)) return 'a web page (HTML)';
    if (text.startsWith('<?xml')) return 'an XML file';
    if (/^[[{"\d\-tfn]/.test(text)) return null;
    return `a text that is not JSON (it begins with "${cut(text.split('\n')[0] ?? '')}")`;
  } finally {
    await file.close();
  }
}
