import type { Client } from '@bough/api';
import { createClient } from '@bough/api';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import { startBough } from '../start/program.ts';
import { besideFiles } from './beside.ts';
import { makePictures } from './pictures.ts';

/** Blocks of files, as an upload answers with them. */
type Blocks = Awaited<ReturnType<Client['uploadBlob']>>['block'][];

export const files: Suite = {
  name: 'files',
  works: ['files'],
  about:
    'attaching pictures of 5 MB (upload, fitting, storing) and sending them to the simulated model, in milliseconds; ' +
    'the floor reads the files and turns them into base64. Starting and history beside 2 GB of files',
  run: async (settings) => {
    const { quick, scratch } = settings;
    const count = quick ? 2 : 20;
    const megabytes = quick ? 1 : 5;
    const rounds = quick ? 1 : 5;
    const pictures = await makePictures(join(scratch, 'pictures'), count, megabytes * 1_000_000);
    const dataDir = join(scratch, 'files');
    await mkdir(dataDir, { recursive: true });
    const { url, stop } = await startBough(dataDir);
    const client = createClient({ baseUrl: url });
    const floor: Contestant = { name: 'read and base64', role: 'floor', run: () => timed(() => readAll(pictures)) };
    const results: Result[] = [];
    try {
      settings.progress(`attaching ${count}`);
      let blocks: Blocks = [];
      const attaching = await hold({
        work: 'files',
        size: `attach ${count} × ${megabytes} MB`,
        unit: 'ms',
        rounds,
        contestants: [
          {
            name: 'Bough',
            role: 'bough',
            run: () =>
              timed(async () => {
                blocks = await attachAll(client, pictures);
              }),
          },
          floor,
        ],
      });
      settings.progress(`sending ${count}`);
      const sending = await hold({
        work: 'files',
        size: `send ${count} × ${megabytes} MB`,
        unit: 'ms',
        rounds,
        contestants: [{ name: 'Bough', role: 'bough', run: () => sendAll(client, blocks) }, floor],
      });
      results.push(attaching, sending);
    } finally {
      await stop();
    }
    return [...results, ...(await besideFiles(settings))];
  },
};

/** One after the other, as the floor does. */
async function attachAll(client: Client, pictures: readonly string[]): Promise<Blocks> {
  const blocks: Blocks = [];
  for (const path of pictures) {
    const { block } = await client.uploadBlob(basename(path), new Uint8Array(await readFile(path)));
    if (block.type !== 'image') throw new Error(`A picture became a block of the type ${block.type}.`);
    blocks.push(block);
  }
  return blocks;
}

/** From the request to the end of the reply, in a project of its own. */
async function sendAll(client: Client, blocks: Blocks): Promise<number> {
  const { project } = await client.createProject({ name: 'Pictures' });
  const ms = await timed(async () => {
    const message = [...blocks, { type: 'text', text: '/sim say seen' }];
    const lines = await (await client.chat(project.id, { ref: 'main', message })).text();
    if (!lines.includes('"status":"complete"')) throw new Error(`The reply did not come: ${lines.slice(-500)}`);
  });
  await client.deleteProject(project.id);
  return ms;
}

async function readAll(pictures: readonly string[]): Promise<void> {
  for (const path of pictures) {
    const text = (await readFile(path)).toString('base64');
    if (text.length < 500_000) throw new Error('A picture is too small.');
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
