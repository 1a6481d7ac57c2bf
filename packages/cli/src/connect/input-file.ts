import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Terminal } from '../terminal/index.ts';

/**
 * Lets `work` read standard input as a file, which is removed afterwards: an import reads its source twice, and looks
 * at the end of a ZIP file first.
 */
export async function withInputAsFile<Result>(
  { input, signal }: Pick<Terminal, 'input' | 'signal'>,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-input-'));
  try {
    const path = join(directory, 'standard input');
    await pipeline(input, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    return await work(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
