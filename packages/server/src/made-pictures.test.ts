import type { Client } from '@bough/api';
import type { ContentBlock, ImageBlock, ProviderToolName } from '@bough/core';
import { isImageBlock } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { drawnPicture, startSimulator } from '@bough/simulator';
import { openFilesStore, verifyStore } from '@bough/store';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

// Pictures that models make, through the running program.

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
let client: Client;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'pictures' });
  recorder = await startRecorder(simulator.url);
  const at = (path: string) => ({ baseUrl: `${recorder.url}${path}` });
  const providers = { simulated: at(''), simulated_responses: at('/v1'), simulated_gemini: at('') };
  server = await startTestServer({}, { providers });
  client = server.client;
});
beforeEach(() => simulator.clearLog());
afterAll(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const refused = () => simulator.log().filter(({ kind }) => kind !== 'accepted');

async function complete(project: string, message: string, ref = 'main'): Promise<string> {
  const lines = await say(client, project, ref, message);
  expect(endOf(lines).status, JSON.stringify(lines.filter(({ type }) => type === 'error'))).toBe('complete');
  return JSON.stringify(lines);
}

interface Drawn {
  readonly project: string;
  readonly picture: ImageBlock;
  /** As the provider sent it. */
  readonly data: string;
}

type Maker = readonly [provider: string, tool: ProviderToolName, command: string, words: string];
const MAKERS: readonly Maker[] = [
  ['simulated_responses', 'image_generation', 'image an oak at dusk', 'an oak at dusk'],
  ['simulated_responses', 'code_execution', 'code plot(x)', 'plot(x)'],
  ['simulated_gemini', 'code_execution', 'code plot(y)', 'plot(y)'],
];

async function draw([provider, tool, command, words]: Maker): Promise<Drawn> {
  const { project } = await client.createProject({ name: tool, provider, providerTools: [{ tool }] });
  const lines = await complete(project.id, `/sim ${command}\n/sim say Here it is.`);
  const data = drawnPicture(words);
  const history = await client.history(project.id, { ref: 'main' });
  // Neither those who watch nor those who read history get the bytes with the words.
  expect(lines).toContain('"type":"image"');
  expect(lines).not.toContain(data);
  expect(JSON.stringify(history)).not.toContain(data);
  const blocks = history.groups.flatMap(({ reply }) =>
    reply.flatMap((node): readonly ContentBlock[] => node.contentBlocks),
  );
  const picture = blocks.find(isImageBlock);
  if (picture === undefined) throw new Error('The reply holds no picture.');
  return { project: project.id, picture, data };
}

describe.each(MAKERS)('%s, %s', (...maker) => {
  it('SV-130: its picture is a file of the reply, in its place, whose bytes are those that came', async () => {
    const { project, picture, data } = await draw(maker);
    expect(picture).toMatchObject({ width: 320, height: 200, file: { mediaType: 'image/png' } });
    const { hash } = picture.original ?? picture.file;
    const bytes = Buffer.from(await (await client.getBlob(hash, project)).arrayBuffer());
    expect(bytes.toString('base64')).toBe(data);
    const { groups } = await client.history(project, { ref: 'main' });
    const items = groups.flatMap(({ segments }) => segments.flatMap((segment) => segment.items));
    expect(items.map(({ type }) => type).filter((type) => type !== 'think')).toEqual(['provider', 'file', 'text']);
    const page = await (await client.exportProject(project, { ref: 'main', format: 'html' })).text();
    expect(page).toContain('src="data:image/png;base64,');
  });

  it('SV-131: it goes back to its maker as it came, and needs no file for that', async () => {
    const { project, picture, data } = await draw(maker);
    await complete(project, 'And now?');
    expect(recorder.bodies().at(-1)?.split(data)).toHaveLength(2);
    const found = await hidden(picture);
    await complete(project, 'And then?');
    await found();
    expect(recorder.bodies().at(-1)?.split(data)).toHaveLength(2);
    expect(refused()).toEqual([]);
  });

  it('SV-132: after a switch, a model that takes pictures gets it, turn after turn, in one place', async () => {
    const { project, picture } = await draw(maker);
    await client.createBranch(project, {
      name: 'claude',
      fromRef: 'main',
      provider: 'simulated',
      model: 'sim-thinker',
    });
    const { report } = await client.contextReport(project, { ref: 'claude', message: 'x' });
    expect(report.flatMap(({ reasons }) => reasons)).toContain('file_before_reply');
    await complete(project, 'What do you see?', 'claude');
    const fitted = Buffer.from(await (await client.getBlob(picture.file.hash, project)).arrayBuffer()).toString(
      'base64',
    );
    const first = recorder.bodies().at(-1) ?? '';
    const head = first.slice(first.indexOf('"messages"'), first.indexOf(fitted) + fitted.length);
    expect(first.split(fitted)).toHaveLength(2);
    for (let at = 0; at < 3; at += 1) {
      await complete(project, `More ${at}`, 'claude');
      const body = recorder.bodies().at(-1) ?? '';
      expect(body.includes(head)).toBe(true);
      expect(body.split(fitted)).toHaveLength(2);
    }
    expect(refused()).toEqual([]);
  });

  it('SV-133: a bundle brings it along, and it is there again', async () => {
    const { project, picture } = await draw(maker);
    const exported = await (await client.exportProject(project)).arrayBuffer();
    await client.deleteProject(project);
    await client.emptyTrash();
    const report = await (await client.importFile(new Uint8Array(exported), { name: 'bundle.zip' })).text();
    expect(report).toContain('"outcome":"new"');
    expect((await client.getBlob(picture.file.hash, project)).status).toBe(200);
  });
});

it('SV-133: a store with such pictures is in order', async () => {
  await server.stop();
  const store = await openFilesStore({ directory: join(server.dataDir, 'files') });
  try {
    const { findings, checked } = await verifyStore(store, { blocksOfRaw: buildContentBlocksForProvider });
    expect(findings).toEqual([]);
    expect(checked.nodes).toBeGreaterThan(20);
  } finally {
    await store.close();
  }
});

/** Moves the bytes of a picture away, and says how they come back. */
async function hidden({ file }: ImageBlock): Promise<() => Promise<void>> {
  const names = await readdir(server.dataDir, { recursive: true });
  const path = join(server.dataDir, names.find((name) => name.endsWith(file.hash)) ?? 'nowhere');
  await rename(path, `${path}.away`);
  return () => rename(`${path}.away`, path);
}
