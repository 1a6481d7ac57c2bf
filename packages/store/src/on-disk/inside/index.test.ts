import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInside, namesInside, openNoLink, pathInside, reachInside, readInside, readPlain } from './index.ts';

let base = '';
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'bough-inside-'));
  await mkdir(join(base, 'a/b'), { recursive: true });
  await writeFile(join(base, 'a/b/file'), 'text');
  await symlink(join(base, 'a'), join(base, 'link'));
  await symlink(join(base, 'a/b/file'), join(base, 'a/file'));
});
afterEach(() => rm(base, { recursive: true }));

const text = (bytes: Buffer): string => bytes.toString();

describe('what lies inside', () => {
  test('FS-14: a path that could lead out is none', () => {
    for (const path of ['', '.', '..', '/', '/etc', 'a/', 'a//b', './a', 'a/..', 'a/../b', '../a', 'a\\b', 'a\u0000']) {
      expect([path, isInside(path)]).toStrictEqual([path, false]);
      expect(() => pathInside(base, path)).toThrow(expect.objectContaining({ code: 'path_outside' }));
    }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ' ', '\u0000'), maxLength: 12 }), (path) => {
        if (isInside(path)) expect(join(base, path).startsWith(`${base}/`)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('FS-15: a link is followed neither at the end nor on the way, and it is named', async () => {
    expect(await readInside(base, 'a/b/file', text)).toBe('text');
    await expect(readInside(base, 'a/file', text)).rejects.toMatchObject({ subject: join(base, 'a/file') });
    await expect(readInside(base, 'link/b/file', text)).rejects.toMatchObject({ code: 'link_refused' });
    await expect(reachInside(base, 'link/b/new')).rejects.toMatchObject({ subject: join(base, 'link') });
    await expect(namesInside(base, 'link')).rejects.toMatchObject({ code: 'link_refused' });
    await expect(openNoLink(join(base, 'a/file'), 0)).rejects.toMatchObject({ code: 'link_refused' });
  });

  test('FS-16: only plain files of a bearable size are read; what is not there is not there', async () => {
    expect(await readInside(base, 'a/none/file', text)).toBeNull();
    expect(await readInside(base, 'a/b/file/below', text)).toBeNull();
    expect(await namesInside(base, 'a/none')).toStrictEqual([]);
    await expect(readInside(base, 'a/b', text)).rejects.toMatchObject({ code: 'malformed_file' });
    await expect(namesInside(base, 'a/b/file')).rejects.toMatchObject({ code: 'malformed_file' });
    await expect(readPlain(join(base, 'a/b/file'), text, 3)).rejects.toMatchObject({ code: 'malformed_file' });
  });
});
