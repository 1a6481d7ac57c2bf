import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import { randomFillSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import { startBough } from '../start/program.ts';

const MB = 1_000_000;

/** Starting, and the newest page of history: the same project with and without gigabytes of files in its messages. */
export async function besideFiles(settings: Parameters<Suite['run']>[0]): Promise<readonly Result[]> {
  const { quick, scratch } = settings;
  const shape: Shape = quick
    ? { pieces: 2, pieceBytes: 5 * MB, turns: 25 }
    : { pieces: 80, pieceBytes: 25 * MB, turns: 60 };
  const rounds = quick ? 1 : 7;
  const size = `${(shape.pieces * shape.pieceBytes) / MB} MB of files`;
  const [plainDir, ladenDir] = [join(scratch, 'plain'), join(scratch, 'laden')];
  settings.progress(`putting ${size} into a project`);
  const plain = await seeded(plainDir, { ...shape, pieces: 0 });
  const laden = await seeded(ladenDir, shape);
  const starting = (directory: string) => async (): Promise<number> => {
    const { ms, stop } = await startBough(directory);
    await stop();
    return ms;
  };
  settings.progress(`starting beside ${size}`);
  const starts = await hold({
    work: 'files',
    size: `start beside ${size}`,
    unit: 'ms',
    rounds,
    contestants: [
      { name: 'Bough', role: 'bough', run: starting(ladenDir) },
      { name: 'the same without files', role: 'floor', run: starting(plainDir) },
    ],
    goals: [{ atMost: 1.2, times: 'the same without files' }],
  });
  settings.progress(`history beside ${size}`);
  const [withFiles, without] = [await startBough(ladenDir), await startBough(plainDir)];
  try {
    const page = (url: string, project: string) => () => historyPage(createClient({ baseUrl: url }), project);
    const pages = await hold({
      work: 'files',
      size: `newest page beside ${size}`,
      unit: 'ms',
      rounds: rounds * 3,
      contestants: [
        { name: 'Bough', role: 'bough', run: page(withFiles.url, laden) },
        { name: 'the same without files', role: 'floor', run: page(without.url, plain) },
      ],
      goals: [{ atMost: 1.2, times: 'the same without files' }],
    });
    return [starts, pages];
  } finally {
    await Promise.all([withFiles.stop(), without.stop()]);
  }
}

/** A project whose first messages hold files of random bytes, and whose newest page holds none. */
interface Shape {
  readonly pieces: number;
  readonly pieceBytes: number;
  /** Messages without files behind them: more than a page has. */
  readonly turns: number;
}

async function seeded(directory: string, { pieces, pieceBytes, turns }: Shape): Promise<string> {
  await mkdir(directory, { recursive: true });
  const { url, stop } = await startBough(directory);
  try {
    const client = createClient({ baseUrl: url });
    const { project } = await client.createProject({ name: 'Files' });
    const chunk = Buffer.alloc(pieceBytes);
    for (let at = 0; at < pieces; at += 1) {
      // No two of them are equal: equal bytes would be kept once.
      const { block } = await client.uploadBlob(`noise ${at}.bin`, new Uint8Array(randomFillSync(chunk)));
      await said(client, project.id, [block, { type: 'text', text: '/sim say kept' }]);
    }
    for (let at = 0; at < turns; at += 1) await said(client, project.id, [{ type: 'text', text: '/sim say yes' }]);
    return project.id;
  } finally {
    await stop();
  }
}

type Message = Exclude<Parameters<Client['chat']>[1]['message'], string>;

async function said(client: Client, project: string, message: Message): Promise<void> {
  const lines = await (await client.chat(project, { ref: 'main', message })).text();
  if (!lines.includes('"status":"complete"')) throw new Error(`The reply did not come: ${lines.slice(-500)}`);
}

/** Fifty times, because one takes no longer than the clock's own noise. */
async function historyPage(client: Client, project: string): Promise<number> {
  const times = 50;
  const began = performance.now();
  for (let at = 0; at < times; at += 1) {
    const { groups } = await client.history(project, { ref: 'main', limit: 20 });
    if (groups.length === 0) throw new Error('The page is empty.');
  }
  return (performance.now() - began) / times;
}
