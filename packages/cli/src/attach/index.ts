import type { Client, MessageContentInput, NodeView } from '@bough/api';
import type { AttachedBlock } from '@bough/core';
import { BoughError, isAttachedBlock } from '@bough/core';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Terminal } from '../terminal/index.ts';

export const ATTACH_OPTION: OptionSpecs = {
  attach: { description: 'attach a file, - for the input; may be repeated', value: 'file', short: 'a', many: true },
};

export type Blocks = Exclude<MessageContentInput, string>;

/** The input as a file. Nothing tells its name, and how long it will be. */
const PIPED = '-';
const PIPED_NAME = 'input';
const PIPED_BYTES = 200_000_000;

/** Uploads what `--attach` names; what a person should know about each file is told on standard error. */
export async function attachedFiles(client: Client, terminal: Terminal, input: Input): Promise<Blocks> {
  const paths = input.texts('attach');
  if (paths.filter((path) => path === PIPED).length > 1) throw new UsageError('The input can be attached only once.');
  const blocks: Blocks = [];
  // One by one: the server fits them one by one anyway, and the first that cannot be sent ends it.
  for (const path of paths) blocks.push(await attach(client, terminal, path));
  return blocks;
}

/** Whether the input is a file, and not what a person types. */
export function takesInput(input: Input): boolean {
  return input.texts('attach').includes(PIPED);
}

export async function attach(client: Client, terminal: Terminal, path: string): Promise<Blocks[number]> {
  const [name, bytes] =
    path === PIPED
      ? [PIPED_NAME, await pipedBytes(terminal.input)]
      : [basename(path), await fileAt(terminal.cwd, path)];
  const { block, notes } = await client.uploadBlob(name, bytes, terminal.signal);
  for (const { message } of notes) terminal.warn(`${message}\n`);
  return block;
}

/** Files before the text: models read them better that way round. */
export function withFiles(files: Blocks, text: string): MessageContentInput {
  if (files.length === 0) return text;
  return text.trim() === '' ? files : [...files, { type: 'text', text }];
}

/** The files of a stored message. */
export function filesOf({ contentBlocks }: Pick<NodeView, 'contentBlocks'>): readonly AttachedBlock[] {
  return contentBlocks.filter((block) => isAttachedBlock(block));
}

const UNITS = ['bytes', 'kB', 'MB', 'GB'];

/** How a list names a file: `[photo.jpg, 1.2 MB]`. */
export function fileLabel({ name, file, original }: AttachedBlock): string {
  const { size } = original ?? file;
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, size)) / 3)));
  const amount = (size / 1_000 ** step).toFixed(step === 0 ? 0 : 1);
  return `[${name}, ${amount} ${UNITS[step]}]`;
}

/** Read as it is sent, not before. */
async function fileAt(cwd: string, path: string): Promise<Blob> {
  const place = resolve(cwd, path);
  const found = await stat(place).catch((cause: unknown) => {
    throw new BoughError('no_file', `${path} cannot be read: there is no such file, or it may not be opened.`, {
      cause,
    });
  });
  if (!found.isFile()) throw new BoughError('no_file', `${path} is not a file. Attach the files in it one by one.`);
  return openAsBlob(place);
}

async function pipedBytes(input: Readable): Promise<Blob> {
  const pieces: Buffer<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of input) {
    const bytes = Buffer.from(piece as string | Uint8Array);
    size += bytes.length;
    if (size > PIPED_BYTES)
      throw new BoughError(
        'too_large',
        'The input is too large to be attached. Write it to a file, and attach a part.',
      );
    pieces.push(bytes);
  }
  return new Blob(pieces);
}
