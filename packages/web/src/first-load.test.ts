import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { en } from './i18n/en.ts';
import { later } from './i18n/later/en.ts';

/** The programs that the built page loads before it shows anything. */
async function firstLoad(): Promise<readonly Buffer[]> {
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  const html = await readFile(`${dist}index.html`, 'utf8');
  const paths = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  return await Promise.all(paths.map(async (path) => await readFile(dist + path)));
}

describe('The first load', () => {
  it('WEB-18: is under 250 kB of compressed JavaScript', async () => {
    const files = await firstLoad();
    expect(files.length).toBeGreaterThan(0);
    expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(250_000);
  });

  it('WEB-18: holds the sentences that it shows, and none of those that lazily loaded pages show', async () => {
    const program = (await firstLoad()).join('\n');
    // Between quotes: `palette.title` is also the end of other words.
    const held = (keys: readonly string[]) =>
      keys.filter((key) => ['"', "'", '`'].some((quote) => program.includes(quote + key + quote)));
    expect(held(Object.keys(en)).length).toBe(Object.keys(en).length);
    expect(held(Object.keys(later))).toEqual([]);
  });
});
