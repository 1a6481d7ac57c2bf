import { foreignConversations, foreignExports } from '@bough/testkit';
import { zipDirectory } from '@bough/transfer';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makePlace } from '../testing/run-cli.ts';

const { claude } = foreignConversations;

describe('bough import -', () => {
  it.each(['JSON', 'lines', 'ZIP'])('CLI-95: takes %s from standard input, and leaves nothing behind', async (form) => {
    const place = await makePlace();
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('bough-input-'));
    try {
      await mkdir(join(place.dir, 'export'));
      await writeFile(join(place.dir, 'export', 'conversations.json'), JSON.stringify([claude]));
      const input =
        form === 'ZIP'
          ? Readable.from(zipDirectory(join(place.dir, 'export'), 'export'))
          : form === 'lines'
            ? foreignExports
                .sillyTavern()
                .map((line) => JSON.stringify(line))
                .join('\n')
            : JSON.stringify([claude]);
      const { code, out } = await place.bough(['import', '-'], { input });
      expect([code, out]).toEqual([0, expect.stringContaining('Imported 1 project(s): 1 new')]);
      const after = (await readdir(tmpdir())).filter((name) => name.startsWith('bough-input-'));
      expect(after.filter((name) => !before.includes(name))).toEqual([]);
    } finally {
      await place.dispose();
    }
  });

  it('CLI-95: takes a session that is one value of several lines', async () => {
    const place = await makePlace();
    try {
      const session = {
        sessionId: 'g',
        projectHash: 'h',
        startTime: '2026-01-01T00:00:00.000Z',
        messages: [{ id: '1', timestamp: '2026-01-01T00:00:00.000Z', type: 'user', content: 'Hello' }],
      };
      const { code, out } = await place.bough(['import', '-'], { input: JSON.stringify(session, null, 2) });
      expect([code, out]).toEqual([0, expect.stringContaining('Imported 1 project(s): 1 new')]);
    } finally {
      await place.dispose();
    }
  });

  it('CLI-95: says what came where it is nothing that is known', async () => {
    const place = await makePlace();
    try {
      const { code, err } = await place.bough(['import', '-'], { input: 'Hello' });
      expect([code, err]).toEqual([1, expect.stringContaining('a text that is not JSON (it begins with "Hello")')]);
    } finally {
      await place.dispose();
    }
  });
});
