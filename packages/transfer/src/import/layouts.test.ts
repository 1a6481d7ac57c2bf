import { foreignConversations, foreignExports } from '@bough/testkit';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { zipDirectory } from '../zip/write.ts';
import type { FileKeeper } from './files/bring.ts';
import { linesFrom, useImports } from './testing/imported.ts';

const { claude } = foreignConversations;
const { cherryStudio, libreChat, openWebUi, PICTURE, sillyTavern, typingMind, typingMindChat } = foreignExports;
const imports = useImports();

/** Keeps the bytes as they are, under their hash. */
const keeper: FileKeeper = {
  limit: 1_000_000,
  keep: async ({ name, path }, blobs) => {
    const bytes = await readFile(path);
    const { hash, size } = await blobs.put(Readable.from([bytes]), { limit: 1_000_000 });
    return { block: { type: 'file', name, file: { hash, size, mediaType: 'application/octet-stream' } } };
  },
};

/** Writes files into a directory and gives its path, and that of a ZIP file with the same. */
async function exported(files: Readonly<Record<string, unknown>>): Promise<readonly [directory: string, zip: string]> {
  for (const [name, content] of Object.entries(files)) await imports.file(`export/${name}`, content);
  const pieces: Uint8Array[] = [];
  for await (const piece of zipDirectory(join(imports.dir(), 'export'), 'backup')) pieces.push(piece);
  const zip = join(imports.dir(), 'export.zip');
  await writeFile(zip, Buffer.concat(pieces));
  return [join(imports.dir(), 'export'), zip];
}

describe('exports that are more than one file', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, number]>([
    ['Claude, with what lies beside', { 'conversations.json': [claude], 'projects.json': [], 'users.json': [] }, 1],
    ['a backup of Cherry Studio', { 'data.json': cherryStudio(['t1', 't2']), 'Data/Files/f9.txt': 'a list' }, 2],
    ['TypingMind in one file', { 'data.json': typingMind('a', 'b') }, 2],
    [
      'TypingMind in pieces',
      {
        'data.json': {
          data: { chats: { chunks: ['chunks/chats_part_1.json', 'chunks/chats_part_2.json'] }, folders: [] },
        },
        'chunks/chats_part_1.json': [typingMindChat('a')],
        'chunks/chats_part_2.json': [typingMindChat('b')],
      },
      2,
    ],
    [
      'chats of SillyTavern',
      { 'chats/Ada/one.jsonl': linesFrom(sillyTavern()), 'chats/Ada/two.jsonl': linesFrom(sillyTavern('Me')) },
      2,
    ],
    ['several of LibreChat', { 'a.json': libreChat(1), 'b.json': libreChat(2) }, 2],
  ])('IM-104: %s: the directory and the ZIP file are the same', async (_, files, count) => {
    const [directory, zip] = await exported(files);
    const report = await imports.load(directory);
    expect([report.projects.length, report.problems]).toEqual([count, []]);
    const again = await imports.load(zip);
    expect(again.projects.map(({ outcome }) => outcome)).toEqual(Array(count).fill('unchanged'));
  });

  it('IM-104: files of a backup come with their messages, by their bytes', async () => {
    const [directory] = await exported({ 'data.json': cherryStudio(), 'Data/Files/f9.txt': 'a list' });
    const { nodes, report } = await imports.look(await imports.load(directory, { files: keeper }));
    expect(report).toMatchObject({ files: 1, missingFiles: [] });
    const hash = createHash('sha256').update('a list').digest('hex');
    expect(nodes[0]?.contentBlocks[1]).toMatchObject({ name: 'list.txt', file: { hash } });
  });

  it('IM-105: files that messages hold themselves come along, by their bytes', async () => {
    const { nodes, report } = await imports.bring('chats.json', [openWebUi()], { files: keeper });
    expect(report).toMatchObject({ files: 2, missingFiles: [] });
    const [picture, note] = [Buffer.from(PICTURE, 'base64'), Buffer.from('a note')].map((bytes) =>
      createHash('sha256').update(bytes).digest('hex'),
    );
    expect(nodes[0]?.contentBlocks.slice(1)).toMatchObject([
      { name: 'file.png', file: { hash: picture } },
      { name: 'n.txt', file: { hash: note } },
    ]);
  });

  it('IM-108: what an export holds besides its conversations is counted by name', async () => {
    const [directory, zip] = await exported({
      'conversations.json': [claude],
      'projects.json': [],
      'memories.json': [],
      'chat.html': '<html>',
    });
    for (const path of [directory, zip])
      expect((await imports.load(path)).leftOut).toMatchObject({ 'projects.json': 1, 'memories.json': 1 });
  });

  it('IM-104: one file of several that is not understood is named, and the others come', async () => {
    const [directory, zip] = await exported({ 'a.json': libreChat(1), 'settings.json': { theme: 'dark' } });
    for (const path of [directory, zip]) {
      await expect(imports.load(path)).rejects.toMatchObject({ code: 'import_stopped' });
      const report = await imports.load(path, { onError: 'skip' });
      expect(report.projects).toHaveLength(1);
      expect(report.problems[0]).toMatchObject({
        where: expect.stringContaining('settings.json'),
        message: expect.stringContaining('an object with theme'),
      });
    }
  });
});

describe('what is not understood', () => {
  it.each<readonly [string, string | Uint8Array, RegExp]>([
    ['empty.json', '', /an empty file/],
    ['blank.json', ' \n ', /a file without any words/],
    ['a.pdf', '%PDF-1.7\n', /a PDF/],
    ['a.png', Buffer.from(PICTURE, 'base64'), /a PNG picture/],
    ['chat.html', '<!DOCTYPE html><html></html>', /a web page/],
    ['notes.md', '# Notes\nHello', /a text that is not JSON \(it begins with "# Notes"\)/],
    ['a.bin', Buffer.from([1, 0, 2, 3]), /a binary file/],
    ['card.json', JSON.stringify({ spec: 'chara_card_v2', data: { name: 'Ada' } }), /an object with spec, data/],
    ['list.json', JSON.stringify([{ theme: 'dark', size: 3 }]), /an object with theme, size/],
    [
      'deep.json',
      JSON.stringify({ version: 2, users: [{ login: 'x', mail: 'y' }] }),
      /"users" holds a list of 1.*login, mail/,
    ],
  ])('IM-103: %s is refused with what was seen and what would help', async (name, content, seen) => {
    const path = await imports.file(name, content);
    for (const onError of ['stop', 'skip'] as const) {
      const refused = imports.load(path, { onError });
      await expect(refused).rejects.toMatchObject({ code: 'unknown_source', message: expect.stringMatching(seen) });
      await expect(refused).rejects.toMatchObject({
        message: expect.stringContaining('Export the conversations as JSON'),
      });
    }
    expect(await imports.store().listProjects()).toEqual([]);
  });

  it('IM-103: a backup of Cherry Studio without a file that can be read says what to do', async () => {
    const [directory, zip] = await exported({ 'IndexedDB/0.leveldb/CURRENT': 'x', 'metadata.json': { version: 6 } });
    for (const path of [directory, zip])
      await expect(imports.load(path)).rejects.toMatchObject({
        code: 'unknown_source',
        message: expect.stringContaining('backup of Cherry Studio'),
      });
  });

  it('IM-103: a directory and a ZIP file without anything say what they hold', async () => {
    const [directory, zip] = await exported({ 'readme.txt': 'Hello' });
    for (const path of [directory, zip])
      await expect(imports.load(path)).rejects.toMatchObject({ message: expect.stringContaining('readme.txt') });
  });
});
