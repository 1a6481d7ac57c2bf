import type { ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import { wavOf } from '@bough/testkit';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { noisyJpeg } from './testing/samples.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

// What a real MCP server returns besides words, through the running program.

interface Content {
  readonly type: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: object;
}

const content = (type: string, bytes: Uint8Array, mimeType: string): Content => ({
  type,
  data: Buffer.from(bytes).toString('base64'),
  mimeType,
});

let dir: string;
let server: TestServer;
let photo: Buffer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-brought-'));
  // As a telephone takes it: lying on its side, far too large, with the place where it was taken.
  photo = await sharp(await noisyJpeg(2_600, 1_300))
    .withExif({ IFD0: { Orientation: '6' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const tiff = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#336' } })
    .tiff()
    .toBuffer();
  await writeFile(
    join(dir, 'contents.json'),
    JSON.stringify([
      content('image', photo, 'image/jpeg'),
      content('image', tiff, 'image/tiff'),
      content('image', Buffer.from('not a picture, in spite of what is said'), 'image/png'),
      content('image', photo.subarray(0, 20_000), 'image/jpeg'),
      content('audio', wavOf(1), 'audio/wav'),
      {
        type: 'resource',
        resource: { uri: 'file:///notes/trees.md', blob: btoa('# Trees'), mimeType: 'text/markdown' },
      },
      content('image', Buffer.from('\0Bough record\n{}'), 'image/png'),
    ]),
  );
  const resolve = (path: string): string => pathToFileURL(createRequire(import.meta.url).resolve(path)).href;
  await writeFile(
    join(dir, 'server.mjs'),
    `
import { readFileSync } from 'node:fs';
import { McpServer } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/mcp.js'))};
import { StdioServerTransport } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/stdio.js'))};
const server = new McpServer({ name: 'test', version: '1.0.0' });
const content = JSON.parse(readFileSync(${JSON.stringify(join(dir, 'contents.json'))}, 'utf8'));
server.registerTool('look', { description: 'Brings files.' }, async () => ({ content }));
await server.connect(new StdioServerTransport());
`,
  );
  server = await startTestServer(
    {},
    {
      mcpServers: { camera: { command: process.execPath, args: [join(dir, 'server.mjs')] } },
      tools: { approval: { 'camera.*': 'auto' } },
    },
  );
  const isThere = async (): Promise<void> => {
    const { tools } = await server.client.listTools();
    expect(tools.find(({ name }) => name === 'camera__look')?.available).toBe(true);
  };
  await vi.waitFor(isThere, { timeout: 20_000, interval: 50 });
});
afterAll(async () => {
  await server.dispose();
  await rm(dir, { recursive: true, force: true });
});

it('SV-134: what an MCP server brings is fitted once, like what people attach; the original is kept', async () => {
  const { client } = server;
  const { project } = await client.createProject({ tools: ['camera__look'] });
  const lines = await say(client, project.id, 'main', '/sim tools camera__look');
  expect(endOf(lines).status).toBe('complete');
  const { groups } = await client.history(project.id, { ref: 'main' });
  const result = groups[0]?.reply.find(({ role }) => role === 'tool');
  const blocks: readonly ContentBlock[] = result?.contentBlocks ?? [];
  const files = blocks.filter((block) => isAttachedBlock(block));
  const [upright, scan, lie, broken, sound, notes] = files;
  expect(upright).toMatchObject({ type: 'image', width: 1_000, height: 2_000, file: { mediaType: 'image/jpeg' } });
  expect(scan).toMatchObject({ type: 'image', width: 40, height: 30, original: { mediaType: 'image/tiff' } });
  expect(lie).toMatchObject({ type: 'file', text: { characters: 39 } });
  // What cannot be shown to a model is still there for people.
  expect(broken).toMatchObject({ type: 'file', file: { size: 20_000 } });
  expect(sound).toMatchObject({ type: 'audio', seconds: 1 });
  expect(notes).toMatchObject({ type: 'file', name: 'trees.md', text: { characters: 7 } });
  expect(files).toHaveLength(6);
  expect(result?.content).toContain('cannot be shown as text');
  const bytesOf = async (hash = '') => Buffer.from(await (await client.getBlob(hash, project.id)).arrayBuffer());
  // Not compared by the matcher: it takes seconds for that many bytes.
  expect((await bytesOf(upright?.original?.hash)).equals(photo)).toBe(true);
  const { orientation, exif } = await sharp(await bytesOf(upright?.file.hash)).metadata();
  expect({ orientation, exif }).toEqual({ orientation: undefined, exif: undefined });
});
