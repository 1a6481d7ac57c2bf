import { createClient } from '@bough/api';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const LOOM = fileURLToPath(new URL('../../../store/src/files/fixtures/loom/', import.meta.url));

async function newPlace(store: string): Promise<Place> {
  const place = await makePlace({ BOUGH_STORE: store });
  onTestFinished(() => place.dispose());
  return place;
}

const DONE = (planned: string): string => planned.replaceAll('to rewrite', 'rewritten').replaceAll('to make', 'made');

describe('upgrade-data', () => {
  it('CLI-28: rewrites and completes the data of a Loom directory, says so, and does it once', async () => {
    const place = await newPlace('files');
    await mkdir(join(place.dir, 'data'), { mode: 0o700 });
    await cp(LOOM, join(place.dir, 'data', 'files'), { recursive: true });
    const planned = await place.bough(['upgrade-data', '--dry-run']);
    expect([planned.code, planned.out]).toEqual([
      0,
      expect.stringMatching(/4 old message\(s\) to rewrite, \d+ turn\(s\) to make for \d+ message/),
    ]);
    expect((await place.bough(['upgrade-data', '--dry-run'])).out).toBe(planned.out);
    expect((await place.bough(['upgrade-data'])).out).toBe(DONE(planned.out));
    expect((await place.bough(['upgrade-data'])).out).toContain('nothing was changed');
    expect((await place.bough(['verify'])).code).toBe(0);
  });

  it.each(['files', 'git', 'postgres'])(
    'CLI-28: makes turns for messages that came without one, on %s',
    async (store) => {
      const place = await newPlace(store);
      const server = await place.serve();
      const client = createClient({ baseUrl: server.url });
      const { project } = await client.createProject({ name: 'Elsewhere' });
      const { project: other } = await client.createProject({ name: 'Other' });
      const messages = [
        { role: 'user' as const, content: 'Why?' },
        { role: 'assistant' as const, content: 'Because.' },
      ];
      for (const { id } of [project, other]) await client.appendMessages(id, { messages, ref: 'main' });
      await server.stop();
      const planned = await place.bough(['upgrade-data', 'Elsewhere', '--dry-run']);
      expect(planned.out).toBe(`Elsewhere (${project.id}): 1 turn(s) to make for 2 message(s) without one.\n`);
      expect((await place.bough(['upgrade-data', 'Elsewhere'])).out).toBe(DONE(planned.out));
      const rest = (await place.bough(['upgrade-data', '--json'])).json();
      expect(rest).toEqual({
        dryRun: false,
        projects: expect.arrayContaining([
          { projectId: project.id, messages: [], turns: 0, nodes: 0 },
          { projectId: other.id, messages: [], turns: 1, nodes: 2 },
        ]) as unknown,
      });
      const verified = (await place.bough(['verify', '--json'])).json();
      expect(verified).toMatchObject({ findings: [] });
      const shown = (await place.bough(['show', '--project', 'Elsewhere', '--json'])).json();
      expect(shown).toMatchObject({
        groups: [{ turnId: expect.stringMatching(/^backfilled-/) as unknown, status: 'complete' }],
      });
    },
  );
});
