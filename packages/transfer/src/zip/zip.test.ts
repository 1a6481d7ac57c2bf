import type { Envelope } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { foreignConversations } from '@bough/testkit';
import type { EventEmitter } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportOptions, ImportReport } from '../import/index.ts';
import { importPath, rehearseImport } from '../import/index.ts';
import { writeBundle } from '../bundle/write.ts';
import { projectId } from '@bough/core';
import { unzipEntry, zipEntries } from './read.ts';
import { zipDirectory } from './write.ts';

const { chatGpt, claude } = foreignConversations;
const ENVELOPE: Envelope = { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' };

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-zip-test-'));
  await mkdir(join(dir, 'temporary'));
  store = await openFilesStore({ directory: join(dir, 'store') });
});
afterEach(async () => {
  expect(await readdir(join(dir, 'temporary'))).toEqual([]);
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

async function zipOf(files: Readonly<Record<string, string>>, root = 'export'): Promise<string> {
  const source = await mkdtemp(join(dir, 'source-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(source, name, '..'), { recursive: true });
    await writeFile(join(source, name), content);
  }
  return zipped(source, root);
}

async function zipped(source: string, root: string): Promise<string> {
  const path = `${source}.zip`;
  await pipeline(zipDirectory(source, root), createWriteStream(path));
  return path;
}

const load = (path: string, more: Partial<ImportOptions> = {}): Promise<ImportReport> =>
  importPath(store, path, { envelope: ENVELOPE, onError: 'stop', temporaryDir: join(dir, 'temporary'), ...more });

/** The same file with some of its bytes changed. */
async function damaged(path: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const other = `${path}.damaged.zip`;
  await writeFile(other, change(await readFile(path)));
  return other;
}

describe('ZIP files', () => {
  it('IM-26: the export of another program is read as it was downloaded, pictures and all', async () => {
    const path = await zipOf({
      'conversations.json': JSON.stringify([chatGpt(), claude]),
      'chat.html': '<html>',
      'image/one.png': 'not read',
    });
    const report = await load(path);
    expect(report.projects.map(({ format }) => format)).toEqual(['chatgpt', 'claude']);
    expect(await load(path)).toMatchObject({ projects: [{ outcome: 'unchanged' }, { outcome: 'unchanged' }] });
  });

  it('IM-26: one that is split into numbered files is read whole, packed or not', async () => {
    const files = {
      'conversations-000.json': JSON.stringify([chatGpt()]),
      'conversations-001.json': JSON.stringify([claude]),
    };
    expect((await load(await zipOf(files))).projects).toHaveLength(2);
    await mkdir(join(dir, 'unpacked'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'unpacked', name), text);
    expect((await load(join(dir, 'unpacked'))).projects.map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  it('EX-11: a bundle that was packed and unpacked is the same bundle, and imports back', async () => {
    const [made] = (await load(await zipOf({ 'conversations.json': JSON.stringify([chatGpt()]) }))).projects;
    const bundle = join(dir, 'bundle');
    await writeBundle(store, projectId(made?.id ?? ''), bundle);
    const path = await zipped(bundle, 'Tides and “moons”');
    expect(await load(path)).toMatchObject({ projects: [{ format: 'bundle', outcome: 'unchanged' }] });
    await store.deleteProject(projectId(made?.id ?? ''));
    expect(await load(path)).toMatchObject({ projects: [{ format: 'bundle', outcome: 'new' }], nodes: 4 });
    const again = join(dir, 'again');
    await writeBundle(store, projectId(made?.id ?? ''), again);
    expect(await readFile(await zipped(again, 'Tides and “moons”'))).toEqual(await readFile(path));
  });

  it('IM-26: no entry leaves the directory, whatever its name', async () => {
    const path = await zipOf({ 'conversations.json': JSON.stringify([chatGpt()]) }, '../../../outside');
    expect((await load(path)).projects).toHaveLength(1);
    expect((await readdir(join(dir, '..'))).includes('outside')).toBe(false);
  });

  it('IM-26: one that holds nothing known is an error that says what is wanted', async () => {
    await expect(load(await zipOf({ 'notes.txt': 'hello' }))).rejects.toMatchObject({ code: 'unknown_source' });
  });

  it('IM-26: one that is cut off, changed or lies about its size is refused, and nothing is written', async () => {
    const path = await zipOf({ 'conversations.json': JSON.stringify([chatGpt()]).repeat(50) });
    const cut = await damaged(path, (bytes) => bytes.subarray(0, bytes.length / 2));
    const flipped = await damaged(path, (bytes) => bytes.fill(0x41, 200, 230));
    const lying = await damaged(path, (bytes) => {
      const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
      bytes.writeUInt32LE(10, at + 24);
      return bytes;
    });
    for (const bad of [cut, flipped, lying])
      await expect(load(bad, { onError: 'skip' })).rejects.toMatchObject({ code: 'malformed_archive' });
    expect(await store.listProjects()).toEqual([]);
  });

  it('IM-26: one that would unpack to more than is allowed is refused before it is unpacked', async () => {
    const path = await zipOf({ 'conversations.json': ' '.repeat(3_000_000) });
    await expect(load(path, { maxUnpackedBytes: 1_000_000 })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('IM-26: garbage behind the right beginning ends in an error of ours, wherever it lies', async () => {
    const path = await zipOf({ 'conversations.json': JSON.stringify([chatGpt()]) });
    const { length } = await readFile(path);
    const codes = new Set<string>();
    for (let at = 4; at < length; at += 7) {
      const bad = await damaged(path, (bytes) => bytes.fill(0xee, at, Math.min(at + 5, length)));
      const code = await rehearseImport(bad, {
        envelope: ENVELOPE,
        onError: 'stop',
        temporaryDir: join(dir, 'temporary'),
      }).then(
        () => 'read',
        (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
      );
      codes.add(code);
    }
    expect([...codes].filter((code) => !['read', 'malformed_archive', 'unknown_source'].includes(code))).toEqual([]);
  });
});

describe('ending an import', () => {
  it('IM-27: one that is ended keeps whole projects, and nothing of the one it was writing', async () => {
    const count = 200;
    const conversations = Array.from({ length: count }, (_, index) => ({
      ...chatGpt(),
      conversation_id: `c-${index}`,
    }));
    const path = join(dir, 'conversations.json');
    await writeFile(path, JSON.stringify(conversations));
    const stop = new AbortController();
    let written = 0;
    const ended = load(path, {
      signal: stop.signal,
      onConversation: (done, pass) => {
        if (pass !== 'writing') return;
        written = done;
        if (done === 3) stop.abort();
      },
    });
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    // Those that were being stored together are told and kept; no other is begun.
    expect(written).toBeGreaterThanOrEqual(3);
    expect(written).toBeLessThanOrEqual(3 + 2 * 32);
    expect(await store.listProjects()).toHaveLength(written);
    const again = (await load(path)).projects.filter(({ outcome }) => outcome === 'new');
    expect(again).toHaveLength(count - written);
  });

  it('IM-26: files are unpacked one after the other from one handle, and one that is damaged spoils no other', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    const handle = await open(await zipOf(Object.fromEntries(names.map((name) => [name, `file ${name}`]))), 'r');
    try {
      // Its types do not say so, but a handle has listeners.
      const listeners = (): number => (handle as unknown as EventEmitter).listenerCount('close');
      const before = listeners();
      for (const [index, entry] of (await zipEntries(handle)).entries()) {
        const to = join(dir, `unpacked-${index}`);
        const unpacking = unzipEntry(handle, index === 3 ? { ...entry, crc: 1, size: 2 } : entry, to);
        if (index === 3) await expect(unpacking).rejects.toMatchObject({ code: 'malformed_archive' });
        else await unpacking;
      }
      expect(await readFile(join(dir, 'unpacked-29'), 'utf8')).toMatch(/^file /);
      expect(listeners()).toBe(before);
    } finally {
      await handle.close();
    }
  });
});
