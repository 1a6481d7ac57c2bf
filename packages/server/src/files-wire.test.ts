import type { Client } from '@bough/api';
import type { AttachedBlock, ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { memoryInUse, wavOf } from '@bough/testkit';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import { noisyJpeg, pdfOf } from './testing/samples.ts';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';

// Through the running program, and judged by what arrived at the provider.

const PROVIDERS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'] as const;
type ProviderId = (typeof PROVIDERS)[number];

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
let client: Client;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'wire' });
  recorder = await startRecorder(simulator.url);
  const at = (path: string) => ({ baseUrl: `${recorder.url}${path}` });
  server = await startTestServer(
    {},
    {
      providers: {
        simulated: at(''),
        simulated_responses: at('/v1'),
        simulated_chat: at('/v1'),
        simulated_gemini: at(''),
      },
    },
  );
  client = server.client;
});
afterAll(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});
beforeEach(async () => {
  await fetch(`${simulator.url}/__simulator/log`, { method: 'DELETE' });
});

type Block = ContentBlock & Readonly<Record<string, unknown>>;
const sent = (block: AttachedBlock): Block => ({ ...block });
const text = (words: string): Block => ({ type: 'text', text: words });

async function upload(name: string, bytes: Uint8Array | string): Promise<AttachedBlock> {
  const { block } = await client.uploadBlob(name, new Blob([Buffer.from(bytes)]));
  if (!isAttachedBlock(block)) throw new Error(`not a file: ${JSON.stringify(block)}`);
  return block;
}

const base64 = async ({ file }: AttachedBlock): Promise<string> =>
  Buffer.from(await (await client.getBlob(file.hash)).arrayBuffer()).toString('base64');

const begin = async (provider: ProviderId, model?: string): Promise<string> =>
  (await client.createProject({ name: provider, provider, ...(model === undefined ? {} : { model }) })).project.id;

async function complete(project: string, message: readonly Block[] | string, ref = 'main'): Promise<void> {
  const lines = await say(client, project, ref, typeof message === 'string' ? message : [...message]);
  expect(endOf(lines).status, JSON.stringify(lines.filter(({ type }) => type === 'error'))).toBe('complete');
}

/** What the simulator refused, and what it dropped without a word. */
async function refusals(): Promise<readonly unknown[]> {
  const answer = (await (await fetch(`${simulator.url}/__simulator/log`)).json()) as {
    entries: readonly { kind: string; rule?: string; detail: string }[];
  };
  return answer.entries.filter(({ kind }) => kind !== 'accepted');
}

let large: Promise<readonly AttachedBlock[]> | undefined;
/** 25 of 4 MB each, uploaded once for all tests. */
function largePictures(): Promise<readonly AttachedBlock[]> {
  large ??= (async () => {
    const blocks: AttachedBlock[] = [];
    for (let at = 0; at < 25; at += 1) {
      const bytes = await noisyJpeg(2_600, 2_000, at, 92);
      expect(bytes.length).toBeGreaterThan(4_000_000);
      blocks.push(await upload(`${at}.jpg`, bytes));
    }
    return blocks;
  })();
  return large;
}

interface Parts {
  readonly picture: (data: string, type: string) => unknown;
  readonly paper: (data: string, name: string) => unknown;
  readonly words: (said: string) => unknown;
  readonly sound: (data: string, line: string) => unknown;
  /** The content of the last message. */
  readonly last: (body: Body) => unknown;
}
type Body = Readonly<Record<'messages' | 'input' | 'contents', readonly Readonly<Record<string, unknown>>[]>>;

const PARTS: Readonly<Record<ProviderId, Parts>> = {
  simulated: {
    picture: (data, media_type) => ({ type: 'image', source: { type: 'base64', media_type, data } }),
    paper: (data, title) => ({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data },
      title,
    }),
    words: (said) => ({ type: 'text', text: said }),
    sound: (_, line) => ({ type: 'text', text: line }),
    last: ({ messages }) => messages.at(-1)?.['content'],
  },
  simulated_responses: {
    picture: (data, type) => ({ type: 'input_image', image_url: `data:${type};base64,${data}`, detail: 'auto' }),
    paper: (data, filename) => ({
      type: 'input_file',
      filename,
      file_data: `data:application/pdf;base64,${data}`,
    }),
    words: (said) => ({ type: 'input_text', text: said }),
    sound: (_, line) => ({ type: 'input_text', text: line }),
    last: ({ input }) => input.at(-1)?.['content'],
  },
  simulated_chat: {
    picture: (data, type) => ({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }),
    paper: (data, filename) => ({ type: 'file', file: { filename, file_data: `data:application/pdf;base64,${data}` } }),
    words: (said) => ({ type: 'text', text: said }),
    sound: (_, line) => ({ type: 'text', text: line }),
    last: ({ messages }) => messages.at(-1)?.['content'],
  },
  simulated_gemini: {
    picture: (data, mimeType) => ({ inlineData: { mimeType, data } }),
    paper: (data) => ({ inlineData: { mimeType: 'application/pdf', data } }),
    words: (said) => ({ text: said }),
    sound: (data) => ({ inlineData: { mimeType: 'audio/wav', data } }),
    last: ({ contents }) => contents.at(-1)?.['parts'],
  },
};

const drawing = (background: string) => sharp({ create: { width: 320, height: 200, channels: 3, background } });
const SOURCE = 'export const tree = "🌳";\n\tif (a < b && "c" > \'d\') return `\\n`;\n';

describe.each(PROVIDERS)('every kind of file at %s', (provider) => {
  it('FIL-30: arrives in the form of the protocol, with exactly the bytes that were fitted', async () => {
    const png = await upload('a.png', await drawing('#2255aa').png().toBuffer());
    const jpeg = await upload('b.jpg', await noisyJpeg(3_000, 900));
    const webp = await upload('c.webp', await drawing('#aa5522').webp().toBuffer());
    const paper = await upload('paper.pdf', pdfOf(['One page.', 'Another page.']));
    const source = await upload('tree.ts', SOURCE);
    const sound = await upload('song.wav', wavOf(1));
    const other = await upload('data.bin', Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7) % 256)));
    expect(jpeg).toMatchObject({ width: 2_000, height: 600 });
    expect(webp.original).toBeDefined();
    const files = [png, jpeg, webp, paper, sound, source, other];
    expect(files.map(({ type }) => type)).toEqual(['image', 'image', 'image', 'document', 'audio', 'file', 'file']);

    const project = await begin(provider);
    await complete(project, [text('What are these?'), ...files.map(sent)]);
    const body = JSON.parse(recorder.bodies().at(-1) ?? '') as Body;
    const { picture, paper: document, words, sound: heard, last } = PARTS[provider];
    const picked = async (block: AttachedBlock) => picture(await base64(block), block.file.mediaType);
    expect(last(body)).toEqual([
      words('What are these?'),
      await picked(png),
      await picked(jpeg),
      await picked(webp),
      document(await base64(paper), 'paper.pdf'),
      heard(await base64(sound), '[audio: song.wav, 1 s]'),
      words(`File "tree.ts":\n\n${SOURCE}`),
      words('[file: data.bin, application/octet-stream, 3000 bytes]'),
    ]);
    expect(await refusals()).toEqual([]);
    // And the same bytes with the next message.
    await complete(project, 'And now?');
    const next = recorder.bodies().at(-1) ?? '';
    for (const block of [png, jpeg, webp, paper]) expect(next.split(await base64(block))).toHaveLength(2);
    expect(await refusals()).toEqual([]);
    expect(recorder.announced().at(-1)).toBe(Buffer.byteLength(next));
  });

  it('FIL-31: 25 large pictures in one conversation are never refused, and what is only named is said', async () => {
    const pictures = await largePictures();
    const project = await begin(provider);
    for (const [from, to] of [
      [0, 19],
      [19, 25],
    ])
      await complete(project, [text(`Pictures from ${from}`), ...pictures.slice(from, to).map(sent)]);
    await complete(project, 'How many did you see?');
    expect(await refusals()).toEqual([]);
    const body = recorder.bodies().at(-1) ?? '';
    const seen = await Promise.all(pictures.map(async (block) => body.includes(await base64(block))));
    const lines = pictures.map(({ name }) => body.includes(`[picture: ${name}, 2000 × 1538]`));
    // Each picture is there, or is named; the newest are there.
    expect(lines).toEqual(seen.map((is) => !is));
    expect(seen.slice(-5)).toEqual([true, true, true, true, true]);
    const { report } = await client.contextReport(project, { ref: 'main', message: 'x' });
    const isTold = report.some(({ reasons }) => reasons.some((reason) => reason === 'file_over_limit'));
    expect(isTold).toBe(seen.includes(false));
  });

  it('FIL-32: a picture keeps its bytes and its place over fifty requests', async () => {
    const picture = await upload('kept.jpg', await noisyJpeg(500, 400, 99));
    const data = await base64(picture);
    const project = await begin(provider);
    await complete(project, [text('Keep this.'), sent(picture)]);
    const first = recorder.bodies().at(-1) ?? '';
    const place = first.indexOf(data);
    const head = first.slice(0, place + data.length);
    for (let at = 1; at < 50; at += 1) {
      await complete(project, `Message ${at}`);
      const body = recorder.bodies().at(-1) ?? '';
      expect(body.slice(0, head.length) === head, `message ${at}`).toBe(true);
      expect(body.split(data)).toHaveLength(2);
    }
    expect(await refusals()).toEqual([]);
  });

  it('FIL-33: forks, other models, regenerating, deleting, restoring and a bundle lose nothing', async () => {
    const picture = await upload('p.png', await drawing('#117733').png().toBuffer());
    const paper = await upload('p.pdf', pdfOf(['Words on paper.']));
    const notes = await upload('notes.md', '# Notes\n\nWith *marks*.\n');
    const datas = [await base64(picture), await base64(paper)];
    const project = await begin(provider);
    // Words that no other test says: the simulator knows its replies by their texts.
    await complete(project, [text(`Look, ${provider}`), sent(picture), sent(paper), sent(notes)]);
    await complete(project, `More for ${provider}`);
    const holdsAll = (): void => {
      const body = recorder.bodies().at(-1) ?? '';
      expect(datas.map((data) => body.includes(data))).toEqual([true, true]);
      expect(body).toContain('With *marks*.');
    };
    holdsAll();

    await client.createBranch(project, { name: 'fork', fromRef: 'main' });
    await complete(project, 'On the fork', 'fork');
    holdsAll();
    for (const other of PROVIDERS.filter((id) => id !== provider)) {
      const model = (await client.listProviders()).providers.find(({ id }) => id === other)?.defaultModel ?? '';
      await client.createBranch(project, { name: other, fromRef: 'main', provider: other, model });
      await complete(project, `From ${provider} to ${other}`, other);
      holdsAll();
      const { defaultModel = '' } = (await client.listProviders()).providers.find(({ id }) => id === provider) ?? {};
      await client.createBranch(project, { name: `${other}-back`, fromRef: other, provider, model: defaultModel });
      await complete(project, `From ${other} back to ${provider}`, `${other}-back`);
      holdsAll();
    }
    const { turns } = await client.regenerate(project, { ref: 'main' });
    expect(endOf(await allLines(await client.turnStream(project, turns[0]?.turnId ?? '', 0))).status).toBe('complete');
    holdsAll();

    const { groups } = await client.history(project, { ref: 'main' });
    const first = groups[0]?.user?.id ?? '';
    const { trashId } = await client.deleteNode(project, first, 'cascade');
    expect((await client.history(project, { ref: 'main' })).groups).toEqual([]);
    await client.restoreTrash(trashId);
    await complete(project, 'Restored', 'fork');
    holdsAll();

    const exported = await (await client.exportProject(project)).arrayBuffer();
    await client.deleteProject(project);
    await client.emptyTrash();
    const report = await (await client.importFile(new Uint8Array(exported), { name: 'bundle.zip' })).text();
    expect(report).toContain('"outcome":"new"');
    await complete(project, 'Imported', 'fork');
    holdsAll();
    expect((await client.getBlob(picture.file.hash, project)).status).toBe(200);
    expect(await refusals()).toEqual([]);
  });
});

it('FIL-34: memory stays flat while twenty pictures of 4 MB are sent', async () => {
  const pictures = (await largePictures()).slice(0, 20);
  const project = await begin('simulated');
  await complete(project, [text('Twenty'), ...pictures.map(sent)]);
  // What the recorder and the simulator hold of a request is theirs; more of them must not add to it.
  recorder.keepNone();
  await complete(project, 'Once');
  const before = memoryInUse();
  for (let at = 0; at < 3; at += 1) await complete(project, `Again ${at}`);
  expect(memoryInUse() - before).toBeLessThan(60_000_000);
  expect(recorder.announced().at(-1)).toBeGreaterThan(15_000_000);
});
