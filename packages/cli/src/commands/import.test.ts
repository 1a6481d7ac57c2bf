import type { ContextView } from '@bough/api';
import { foreignConversations } from '@bough/testkit';
import type { ImportReport } from '@bough/transfer';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace } from '../testing/run-cli.ts';

const { chatGpt, claude } = foreignConversations;
/** A green square of 32 pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEUziEQDvPHZAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';

describe('a rehearsal', () => {
  it.each(['files', 'git', 'postgres'])('IM-15: for %s makes no store, no settings and no lock', async (kind) => {
    const place = await makePlace({ BOUGH_STORE: kind });
    try {
      await writeFile(join(place.dir, 'conversations.json'), JSON.stringify([claude]));
      const { code, out } = await place.bough(['import', 'conversations.json', '--dry-run']);
      expect([code, out]).toEqual([0, expect.stringContaining('Would import 1 project(s)')]);
      expect(await readdir(place.dir)).toEqual(['conversations.json']);
      expect((await place.bough(['import', 'conversations.json', '--dry-run', '--provider', 'nobody'])).code).toBe(1);
    } finally {
      await place.dispose();
    }
  });

  it('IM-13: what stops an import is told with the option that helps', async () => {
    const place = await makePlace();
    try {
      await writeFile(join(place.dir, 'conversations.json'), JSON.stringify([claude, { nonsense: true }]));
      const { code, err } = await place.bough(['import', 'conversations.json', '--dry-run']);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/record 2: .* Nothing was imported\. With --on-error skip/),
      ]);
    } finally {
      await place.dispose();
    }
  });
});

describe('an imported conversation', () => {
  it('IM-17: goes on with any model: unsigned reasoning stays at home, the text goes out', async () => {
    const place = await makePlace();
    try {
      const path = join(place.dir, 'conversations.json');
      await writeFile(path, JSON.stringify([{ ...chatGpt(), current_node: 'a1' }]));
      const imported = (await place.bough(['import', path, '--json'])).json() as ImportReport;
      const project = ['--project', imported.projects[0]?.id ?? ''];
      const { request, report } = (await place.bough(['context', 'main', ...project, '--json'])).json() as ContextView;
      expect(request.body).toContain('The moon pulls.');
      expect(request.body).not.toContain('It pulls on the sea.');
      const replies = report.filter(({ role }) => role === 'assistant').map(({ fidelity }) => fidelity);
      expect(replies).toEqual(['dropped', 'canonical']);
      const answer = await place.bough(['chat', '-m', 'And the sun?', ...project]);
      expect(answer.code).toBe(0);
      expect((await place.bough(['verify'])).code).toBe(0);
    } finally {
      await place.dispose();
    }
  });

  it('CLI-68: comes with its files, which are counted, named if they are missing, and part of an exported page', async () => {
    const place = await makePlace();
    try {
      await mkdir(join(place.dir, 'export'));
      await writeFile(join(place.dir, 'export', 'conversations.json'), JSON.stringify([chatGpt(), claude]));
      await writeFile(join(place.dir, 'export', 'file-1.png'), Buffer.from(PICTURE, 'base64'));
      const { code, out } = await place.bough(['import', 'export']);
      expect([code, out]).toEqual([0, expect.stringContaining('1 file(s) came along.')]);
      expect(out).toContain('1 file(s) did not come along:\n  Knots: a.txt: It is not in the export.');
      const page = (await place.bough(['export', 'Tides', '--format', 'html'])).out;
      expect(page).toContain('<img src="data:image/png;base64,');
      expect((await place.bough(['verify'])).code).toBe(0);
    } finally {
      await place.dispose();
    }
  });

  it('IM-18: a store that a server holds is not written behind its back', async () => {
    const place = await makePlace();
    const server = await place.serve();
    try {
      const path = join(place.dir, 'conversations.json');
      await writeFile(path, JSON.stringify([claude]));
      const refused = await place.bough(['import', path]);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('Stop the server');
    } finally {
      await server.stop();
      await place.dispose();
    }
  });

  it('CLI-6: whoever names no store does not open another one than that of the server that runs there', async () => {
    const place = await makePlace();
    const server = await place.serve();
    const unnamed = await makePlace({ ...place.env, BOUGH_STORE: '' });
    try {
      const refused = await unnamed.bough(['dataset', '--all']);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Say --store files.')]);
      expect((await readdir(place.env['BOUGH_DATA_DIR'] ?? '')).includes('postgres')).toBe(false);
      expect((await unnamed.bough(['dataset', '--all', '--store', 'files'])).err).toContain('Stop the server');
    } finally {
      await server.stop();
      await unnamed.dispose();
      await place.dispose();
    }
  });
});
