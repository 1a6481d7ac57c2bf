import type { Client, ImportLine } from '@bough/api';
import type { AttachedBlock, BlobHash, ContentBlock } from '@bough/core';
import { isAttachedBlock, projectId } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import type { ImportReport } from '@bough/transfer';
import { importPath, rehearseImport, zipDirectory } from '@bough/transfer';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import { noisyJpeg, pdfOf } from './testing/samples.ts';
import { endOf, say, startTestServer } from './testing/start.ts';
import { createFileKeeper } from './uploads/index.ts';

const ENVELOPE = {
  provider: 'simulated',
  model: 'sim-thinker',
  systemPrompt: null,
  tools: [],
  thinking: 'off',
} as const;

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-import-files-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

interface Message {
  readonly role: string;
  readonly parts: readonly unknown[];
  readonly attachments?: readonly object[];
}

/** A conversation of ChatGPT, one message after the other. */
function chatGpt(messages: readonly Message[], id = 'c-files'): object {
  const keys = messages.map((_, index) => `m${index}`);
  return {
    title: 'With files',
    create_time: 1_700_000_000,
    conversation_id: id,
    current_node: keys.at(-1),
    mapping: Object.fromEntries(
      messages.map(({ role, parts, attachments = [] }, index) => [
        `m${index}`,
        {
          id: `m${index}`,
          parent: keys[index - 1] ?? null,
          children: keys.slice(index + 1, index + 2),
          message: {
            id: `m${index}`,
            author: { role, ...(role === 'tool' && { name: 'dalle.text2im' }) },
            create_time: 1_700_000_000 + index,
            content: { content_type: 'multimodal_text', parts },
            metadata: { attachments },
            recipient: 'all',
            status: 'finished_successfully',
          },
        },
      ]),
    ),
  };
}

const pointer = (asset_pointer: string) => ({
  content_type: 'image_asset_pointer',
  asset_pointer,
  width: 9,
  height: 9,
});

/** Writes an export: conversations, and files by their paths. */
async function written(
  conversations: readonly object[],
  files: Readonly<Record<string, Uint8Array | string>>,
  name = 'export',
): Promise<string> {
  const directory = join(dir, name);
  for (const [path, bytes] of Object.entries({ 'conversations.json': JSON.stringify(conversations), ...files })) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), bytes);
  }
  return directory;
}

async function zipped(directory: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of zipDirectory(directory, 'export')) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

async function bring(path: string, limit?: number): Promise<ImportReport> {
  const options = { envelope: ENVELOPE, onError: 'stop', temporaryDir: dir, files: createFileKeeper(limit) } as const;
  const report = await importPath(store, path, options);
  expect((await readdir(dir)).filter((name) => name.startsWith('bough-'))).toEqual([]);
  return report;
}

async function nodesOf(report: Pick<ImportReport, 'projects'>, from: Store = store) {
  const id = projectId(report.projects[0]?.id ?? '');
  const { branches } = await from.graph(id);
  const tip = branches[0]?.tipId;
  return tip == null ? [] : from.path(id, tip);
}

async function bytesOf(report: ImportReport, hash: BlobHash | undefined): Promise<Buffer> {
  if (hash === undefined) throw new Error('there is no such file');
  const read = await store.blobs.read(projectId(report.projects[0]?.id ?? ''), hash);
  const pieces: Uint8Array[] = [];
  for await (const piece of read?.bytes ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

const png = (background = '#aa1122'): Promise<Buffer> =>
  sharp({ create: { width: 120, height: 80, channels: 3, background } })
    .png()
    .toBuffer();

describe('the files of a ChatGPT export', () => {
  it('IM-30: become part of their messages, fitted, wherever the export keeps them', async () => {
    const picture = await png();
    const photo = await noisyJpeg(2_600, 1_300);
    const paper = pdfOf(['On paper.']);
    const drawn = await sharp(await png('#00ff00'))
      .webp()
      .toBuffer();
    const directory = await written(
      [
        chatGpt([
          {
            role: 'user',
            parts: [pointer('file-service://file-AAAbbb111'), 'Look at both.', pointer('sediment://file_00cc22')],
            attachments: [
              { id: 'file-AAAbbb111', name: 'Holiday.png', mime_type: 'image/png' },
              { id: 'file-Paper9', name: 'paper.pdf', mimeType: 'application/pdf' },
            ],
          },
          { role: 'assistant', parts: ['I see.'] },
          { role: 'tool', parts: [pointer('sediment://file_00dd33')] },
        ]),
      ],
      {
        'file-AAAbbb111-Holiday.png': picture,
        'user-1/file_00cc22-sanitized.jpg': photo,
        'file-Paper9.dat': paper,
        'dalle-generations/file_00dd33-1234.webp': drawn,
        'conversation_asset_file_names.json': JSON.stringify({ 'file-Paper9.dat': 'paper.pdf' }),
      },
    );
    const report = await bring(directory);
    expect(report).toMatchObject({ files: 4, missingFiles: [], leftOut: {}, problems: [] });
    const nodes = await nodesOf(report);
    expect(nodes.map(({ contentBlocks }) => contentBlocks.map(({ type }) => type))).toEqual([
      ['image', 'text', 'image', 'document'],
      ['text'],
      ['image'],
    ]);
    const [first, , second, third] = nodes[0]?.contentBlocks ?? [];
    expect(first).toMatchObject({ name: 'Holiday.png', width: 120, height: 80 });
    expect(second).toMatchObject({ width: 2_000, height: 1_000, name: 'sanitized.jpg' });
    expect(third).toMatchObject({ name: 'paper.pdf', pages: 1 });
    const files = nodes.flatMap(({ contentBlocks }) => contentBlocks.filter(isAttachedBlock));
    for (const { file } of files) {
      const bytes = await bytesOf(report, file.hash);
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([file.size, file.hash]);
    }
    expect(await bytesOf(report, files[0]?.file.hash)).toEqual(picture);
    expect(await bytesOf(report, files[1]?.original?.hash)).toEqual(photo);
    // Once more: nothing is fitted, added or changed.
    expect(await bring(directory)).toMatchObject({ files: 0, projects: [{ outcome: 'unchanged', addedNodes: 0 }] });
  });

  it('IM-31: what is not there, or cannot be taken, is named in the report and in the message', async () => {
    const attachments = [
      { id: 'file-Gone1', name: 'gone.png' },
      { id: 'file-Torn2', name: 'torn.png' },
      { id: 'file-Big3', name: 'big.txt' },
    ];
    const directory = await written(
      [
        chatGpt([
          { role: 'user', parts: ['Look.'], attachments },
          { role: 'tool', parts: [pointer('file-service://file-Gone4')] },
          { role: 'assistant', parts: ['I cannot see it.'] },
        ]),
      ],
      { 'file-Torn2-torn.png': (await png()).subarray(0, 60), 'file-Big3-big.txt': 'x'.repeat(5_000) },
    );
    const report = await bring(directory, 4_000);
    expect(report.files).toBe(0);
    expect(report.leftOut).toEqual({ attachment: 3, image_asset_pointer: 1 });
    expect(report.missingFiles.map(({ name, reason }) => [name, reason])).toEqual([
      ['gone.png', 'It is not in the export.'],
      ['torn.png', expect.stringContaining('torn.png')],
      ['big.txt', 'It has 5000 bytes, and 4000 are allowed.'],
      [null, 'It is not in the export.'],
    ]);
    const nodes = await nodesOf(report);
    // A reply that was only a picture is not there; what follows is below what came before it.
    expect(nodes.map(({ role, content }) => [role, content.split('\n')[0]])).toEqual([
      ['user', 'Look.'],
      ['assistant', 'I cannot see it.'],
    ]);
    for (const name of ['gone.png', 'torn.png', 'big.txt'])
      expect(JSON.stringify(nodes[0]?.contentBlocks)).toContain(`(attachment \\"${name}\\", not imported)`);
  });

  it('IM-32: no link is followed, and beside a single file nothing is taken', async () => {
    const secret = join(dir, 'secret.txt');
    await writeFile(secret, 'a secret');
    const conversation = chatGpt([
      {
        role: 'user',
        parts: ['Look.'],
        attachments: [
          { id: 'file-Link1', name: 'a.txt' },
          { id: '../secret.txt', name: '../secret.txt' },
          { id: 'file-Deep2', name: 'b.txt' },
        ],
      },
    ]);
    const directory = await written([conversation], { 'file-Beside1-a.txt': 'mine' });
    await symlink(secret, join(directory, 'file-Link1-a.txt'));
    await symlink(dir, join(directory, 'linked'));
    expect(await bring(directory)).toMatchObject({ files: 0, missingFiles: [{}, {}, {}] });
    const alone = await written(
      [chatGpt([{ role: 'user', parts: ['x'], attachments: [{ id: 'file-Beside1', name: 'a.txt' }] }], 'c-alone')],
      { 'file-Beside1-a.txt': 'mine' },
      'alone',
    );
    expect(await bring(join(alone, 'conversations.json'))).toMatchObject({
      files: 0,
      missingFiles: [{ name: 'a.txt' }],
    });
    expect(JSON.stringify(await nodesOf(await bring(directory)))).not.toContain('a secret');
  });

  it('IM-15: a rehearsal says which files are there, and writes nothing', async () => {
    const parts = [pointer('file-service://file-A1'), pointer('file-service://file-B2')];
    const directory = await written([chatGpt([{ role: 'user', parts }])], { 'file-A1-a.png': await png() });
    const options = { envelope: ENVELOPE, onError: 'stop', files: createFileKeeper() } as const;
    expect(await rehearseImport(directory, options)).toMatchObject({ files: 1, missingFiles: [{ name: null }] });
    expect(await store.listProjects()).toEqual([]);
    expect(await store.blobs.sweep({ putBefore: '9999-01-01T00:00:00.000Z', dryRun: true })).toEqual([]);
  });
});

describe('the files of a Claude export', () => {
  it('IM-33: the text of a document comes along under its name; what is only named is said', async () => {
    const directory = await written(
      [
        {
          uuid: 'k-files',
          name: 'Knots',
          chat_messages: [
            {
              uuid: 'm1',
              sender: 'human',
              text: '',
              content: [],
              attachments: [
                { file_name: 'knots.pdf', file_type: 'pdf', extracted_content: 'All about knots.' },
                { file_name: 'code.py', extracted_content: 'print("knot")' },
                { file_name: 'empty.txt', extracted_content: '' },
              ],
              files: [
                { file_name: 'knots.pdf' },
                { file_uuid: 'u-1', file_name: 'knot.png' },
                { file_name: 'gone.png' },
              ],
            },
            { uuid: 'm2', sender: 'assistant', text: 'A bowline.', content: [{ type: 'text', text: 'A bowline.' }] },
          ],
        },
      ],
      { 'files/knot.png': await png() },
    );
    const report = await bring(directory);
    expect(report).toMatchObject({ files: 3, leftOut: { attachment: 1, file: 1 } });
    expect(report.missingFiles.map(({ name }) => name)).toEqual(['empty.txt', 'gone.png']);
    const blocks = (await nodesOf(report))[0]?.contentBlocks ?? [];
    expect(blocks.filter(isAttachedBlock).map(({ type, name }) => [type, name])).toEqual([
      ['file', 'knots.pdf.txt'],
      ['file', 'code.py'],
      ['image', 'knot.png'],
    ]);
    const [document] = blocks.filter(isAttachedBlock);
    expect((await bytesOf(report, document?.file.hash)).toString()).toBe('All about knots.');
  });
});

describe('over HTTP', () => {
  const lastOf = async (answer: Promise<Response>): Promise<ImportLine> =>
    JSON.parse((await (await answer).text()).trim().split('\n').at(-1) ?? '') as ImportLine;
  const reportOf = (line: ImportLine): Extract<ImportLine, { type: 'report' }>['report'] => {
    if (line.type !== 'report') throw new Error(JSON.stringify(line));
    return line.report;
  };

  it('SV-115: the files in a ZIP file become part of the messages, and can be gone on with', async () => {
    const server = await startTestServer({}, { limits: { fileBytes: 1_000_000 } });
    try {
      const directory = await written(
        [
          chatGpt([
            {
              role: 'user',
              parts: [pointer('file-service://file-A1'), 'Look.'],
              attachments: [{ id: 'file-Big', name: 'big.bin' }],
            },
            { role: 'tool', parts: [pointer('file-service://file-B2')] },
            { role: 'assistant', parts: ['Done.'] },
          ]),
        ],
        {
          'file-A1-a.png': await png(),
          'file-B2-b.png': await png('#ff00ff'),
          'file-Big.dat': Buffer.alloc(1_000_001),
        },
      );
      const line = await lastOf(server.client.importFile(await zipped(directory), { name: 'export.zip' }));
      const report = reportOf(line);
      expect(report).toMatchObject({
        files: 2,
        missingFiles: [{ where: 'With files', name: 'big.bin', reason: expect.stringContaining('1000000') as string }],
      });
      const id = report.projects[0]?.id ?? '';
      const { groups } = await server.client.history(id, { ref: 'main' });
      const blocks: readonly ContentBlock[] = groups[0]?.user?.contentBlocks ?? [];
      const [block] = blocks.filter(isAttachedBlock);
      expect(block).toMatchObject({ type: 'image', name: 'a.png' });
      expect((await server.client.getBlob(block?.file.hash ?? '', id)).status).toBe(200);
      expect(endOf(await say(server.client, id, 'main', 'And now?')).status).toBe('complete');
      expect((await server.client.diagnostics()).rejections).toBe(0);
      expect(await readdir(join(server.dataDir, 'scratch')).catch(() => [])).toEqual([]);
    } finally {
      await server.dispose();
    }
  });

  it('IM-31: a file that was damaged on the way is named, and the conversation comes', async () => {
    const server = await startTestServer();
    try {
      const bytes = await noisyJpeg(300, 300);
      const directory = await written(
        [
          chatGpt([
            { role: 'user', parts: ['Look.', pointer('file-service://file-A1'), pointer('sediment://file_2')] },
          ]),
        ],
        { 'file-A1-a.jpg': bytes, 'file_2-b.png': await png() },
      );
      const zip = Buffer.from(await zipped(directory));
      const place = zip.indexOf('file-A1-a.jpg') + 2_000;
      zip.fill(0, place, place + 50);
      const report = reportOf(await lastOf(server.client.importFile(new Uint8Array(zip), { name: 'a.zip' })));
      expect(report).toMatchObject({ files: 1, nodes: 1, missingFiles: [{ reason: expect.stringContaining('ZIP') }] });
    } finally {
      await server.dispose();
    }
  });
});

describe('bundles with files', () => {
  const on = useServers();
  const put = async (client: Client, name: string, bytes: Uint8Array | string): Promise<AttachedBlock> => {
    const { block } = await client.uploadBlob(name, new Blob([Buffer.from(bytes)]));
    if (!isAttachedBlock(block)) throw new Error('not a file');
    return block;
  };

  it.each(STORES)(
    'EX-40: a ZIP file from %s brings pictures, PDFs and texts to every store, by their hashes',
    async (from) => {
      const { client } = on(from);
      const { project } = await client.createProject({ name: `From ${from}` });
      const blocks = [
        await put(client, 'a.jpg', await noisyJpeg(2_500, 900)),
        await put(client, 'b.pdf', pdfOf(['One', 'Two'])),
        await put(client, 'c.ts', 'export {};\n'),
      ];
      const lines = await say(client, project.id, 'main', [
        { type: 'text', text: 'Look' },
        ...blocks.map((b) => ({ ...b })),
      ]);
      expect(endOf(lines).status).toBe('complete');
      const hashes = blocks.flatMap(({ file, original }) => [
        file.hash,
        ...(original === undefined ? [] : [original.hash]),
      ]);
      const bytesIn = async (at: Client) =>
        Promise.all(
          hashes.map(async (hash) =>
            Buffer.from(await (await at.getBlob(hash, project.id)).arrayBuffer()).toString('base64'),
          ),
        );
      const before = await bytesIn(client);
      const bundle = new Uint8Array(await (await client.exportProject(project.id)).arrayBuffer());
      for (const to of STORES.filter((other) => other !== from)) {
        const other = on(to).client;
        const line = await lastLine(other.importFile(bundle, { name: 'bundle.zip' }));
        expect(line, to).toMatchObject({ type: 'report', report: { projects: [{ outcome: 'new' }] } });
        expect(await bytesIn(other)).toEqual(before);
        const { groups } = await other.history(project.id, { ref: 'main' });
        expect(groups[0]?.user?.contentBlocks.slice(1)).toEqual(blocks);
        expect(endOf(await say(other, project.id, 'main', 'And now?')).status).toBe('complete');
        expect((await other.diagnostics()).rejections).toBe(0);
      }
    },
  );

  async function lastLine(answer: Promise<Response>): Promise<unknown> {
    return JSON.parse((await (await answer).text()).trim().split('\n').at(-1) ?? '');
  }
});
