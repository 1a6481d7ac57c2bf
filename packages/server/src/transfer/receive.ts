import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpProblem } from '../problem.ts';

/** How long an upload may stand still. */
const IDLE_MS = 30_000;

export interface Receiving {
  readonly body: ReadableStream<Uint8Array> | null;
  /** As the client says it, before anything has come. */
  readonly length: string | undefined;
  readonly name: string | undefined;
  readonly maxBytes: number;
  /** What is said about one that is larger. */
  readonly tooLarge: (maxBytes: number) => HttpProblem;
  readonly idleMs?: number;
}

/** Writes a body to a file, piece by piece, and returns its path. The memory that it takes is that of one piece. */
export async function receive(directory: string, upload: Receiving): Promise<string> {
  const { body, length, name, maxBytes, tooLarge, idleMs = IDLE_MS } = upload;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const path = join(directory, fileName(name));
  const file = await open(path, 'wx', 0o600);
  const reader = (body ?? new Blob([]).stream()).getReader();
  try {
    let size = 0;
    for (;;) {
      const { done, value } = await beforeIdle(reader.read(), idleMs);
      if (done) break;
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      // All of it: a single write stops without an error where a disk becomes full.
      await file.appendFile(value);
    }
    if (size === 0) throw new HttpProblem(422, 'empty_file', 'The file is empty. Choose another one.');
    return path;
  } catch (error) {
    // Whoever still sends is not listened to; that they may not be there any more is no failure of ours.
    await reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function beforeIdle<Value>(next: Promise<Value>, idleMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HttpProblem(408, 'too_slow', 'The file did not arrive in time.')), idleMs);
  });
  try {
    return await Promise.race([next, idle]);
  } finally {
    clearTimeout(timer);
  }
}

/** The end of the name says whether a file has one record per line, and ids are made from the rest. */
function fileName(given: string | undefined): string {
  const plain = (given ?? '').replaceAll(/[^\p{L}\p{N}._ -]+/gu, '_').slice(-80);
  return /^[. ]*$/.test(plain) ? 'upload' : plain;
}
