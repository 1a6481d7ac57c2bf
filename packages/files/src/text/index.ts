import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FitError } from '../errors.ts';
import type { Fitted, Given } from '../fitted.ts';
import { FIT_LIMITS } from '../limits.ts';
import { headOfFile } from '../recognise/index.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';
export type TextFacts = { readonly encoding: Encoding; readonly hasMark: boolean; readonly characters: number };

/** Everything below a space that no text holds; escapes are in the logs of programs that colour them. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x06\x0E-\x1A\x1C-\x1F\x7F]/;

/** Null for anything that is not text in UTF-8 or, with its mark, in UTF-16. Reads no further than it has to. */
export async function readText(path: string): Promise<TextFacts | null> {
  const mark = markOf(await headOfFile(path, 3));
  let characters = 0;
  try {
    for await (const text of decoded(path, mark.encoding)) {
      if (CONTROL.test(text)) return null;
      characters += text.length;
    }
  } catch (error) {
    // A fatal decoder's complaint; anything else is trouble with the disk.
    if (error instanceof TypeError) return null;
    throw error;
  }
  return { ...mark, characters };
}

/**
 * Whether a file that is no text here would be one in an older encoding (Windows-1252, GBK, Shift JIS). Which one, its
 * bytes do not tell, and a wrong guess would send other words than a person sees.
 */
export async function seemsText(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, 'latin1')) if (CONTROL.test(String(chunk))) return false;
  return true;
}

/** A text goes as UTF-8 without a mark; a file that is so already is sent as it is. */
export async function fitText(given: Given, { encoding, hasMark, characters }: TextFacts): Promise<Fitted> {
  if (characters > FIT_LIMITS.characters)
    throw new FitError(
      'text_too_long',
      `${given.name} has ${characters.toLocaleString('en')} characters, more than any model reads ` +
        `(${FIT_LIMITS.characters.toLocaleString('en')}). Attach the part that matters.`,
    );
  const original = { path: given.path, mediaType: 'text/plain', size: given.size };
  const common = { type: 'file', name: given.name, notes: [] } as const;
  if (encoding === 'utf-8' && !hasMark) return { ...common, file: original, text: { ...original, characters } };
  const path = join(given.directory, 'text');
  const out = await open(path, 'wx');
  try {
    for await (const text of decoded(given.path, encoding)) await out.appendFile(text);
  } finally {
    await out.close();
  }
  const file = { path, mediaType: 'text/plain', size: (await stat(path)).size };
  return { ...common, file, original, text: { ...file, characters } };
}

function markOf(bytes: Buffer): { readonly encoding: Encoding; readonly hasMark: boolean } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', hasMark: true };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', hasMark: true };
  return { encoding: 'utf-8', hasMark: bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf };
}

/** Without the mark, which the decoder takes away. */
async function* decoded(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of createReadStream(path)) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
}
