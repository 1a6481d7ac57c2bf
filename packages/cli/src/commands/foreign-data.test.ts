import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace({ BOUGH_STORE: '' });
});
afterAll(() => place.dispose());

async function loom(name: string): Promise<void> {
  await mkdir(join(place.dir, name, 'root-1/nodes'), { recursive: true });
  const node = {
    id: 'root-1/node-1',
    root_id: 'root-1',
    parent_id: 'root-1',
    child_ids: [],
    message: { role: 'user', content: [{ type: 'text', text: 'Hello from Loom' }] },
    metadata: {
      timestamp: '2025-01-01T00:00:00.000Z',
      original_root_id: 'root-1',
      source_info: { type: 'user' },
      tags: ['first'],
    },
  };
  await writeFile(join(place.dir, name, 'root-1/nodes/node-1.json'), JSON.stringify(node));
  const root = { id: 'root-1', child_ids: [node.id], createdAt: '2025-01-01T00:00:00.000Z', config: {} };
  await writeFile(join(place.dir, name, 'roots.json'), JSON.stringify([root]));
}

async function tree(name: string): Promise<void> {
  const directory = join(place.dir, name, '7c9e6679-7425-40de-944b-e07fc1f90ae7');
  await mkdir(directory, { recursive: true });
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
      cwd: directory,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  const line = { id: 'n1', timestamp: 1, parent: null, type: 'message', role: 'user', content: 'Hello from a tree' };
  await writeFile(join(directory, 'nodes.jsonl'), `${JSON.stringify(line)}\n`);
  const project = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Trees', createdAt: '2025-01-01T00:00:00.000Z' };
  await writeFile(join(directory, 'project.json'), JSON.stringify(project));
  await writeFile(join(directory, 'stars.json'), '{"starredNodeIds":["n1"]}');
  git('add', '.');
  git('commit', '-q', '-m', 'all');
}

describe('data of other programs', () => {
  it('CLI-100: a directory of Loom or ResearchTree is opened by naming it', async () => {
    await loom('.loom');
    await tree('trees');
    expect((await place.bough(['ls', '--data', '.loom'])).out).toContain('root-1');
    expect((await place.bough(['verify', '--data', '.loom'])).out).toContain('Everything fits together');
    // Loom's ids all begin alike: cut off, none of them would name anything.
    expect((await place.bough(['log', '--data', '.loom'])).out).toContain('root-1/node-1');
    expect((await place.bough(['star', 'root-1/node-1', '--data', '.loom'])).out).toContain('root-1/node-1 has a star');
    expect((await place.bough(['ls', '--data', 'trees'])).out).toContain('Trees');
    expect((await place.bough(['verify', '--data', 'trees'])).out).toContain('Everything fits together');
    // Nothing was made beside the data: no store of another kind.
    for (const name of ['.loom', 'trees']) {
      const names = await readdir(join(place.dir, name));
      expect(names.filter((one) => ['files', 'projects', 'postgres'].includes(one))).toEqual([]);
    }
  });

  it('CLI-101: a move names what is kept beside the project', async () => {
    await loom('one');
    const moved = await place.bough([
      'move',
      'root-1',
      '--data',
      'one',
      '--to',
      'git',
      '--to-data',
      'two',
      '--delete-source',
    ]);
    expect([moved.code, moved.out]).toEqual([
      0,
      expect.stringMatching(/proved equal; the source is gone\.\n.*beside the project.*list of tags ×1/),
    ]);
    await tree('three');
    const again = await place.bough(['move', '--all', '--data', 'three', '--to', 'files', '--to-data', 'two']);
    expect(again.out).toMatch(/commit ×1/);
    const back = await place.bough([
      'move',
      'root-1',
      '--store',
      'git',
      '--data',
      'two',
      '--to',
      'files',
      '--to-data',
      'four',
    ]);
    expect(back.out).toContain('list of tags ×1');
  });

  it('CLI-102: what is kept is listed, and removed on request', async () => {
    await loom('seven');
    const at = ['--store', 'git', '--data', 'eight'];
    expect((await place.bough(['beside', ...at])).out).toBe('Nothing is kept for another program.\n');
    await place.bough(['move', '--all', '--data', 'seven', '--to', 'git', '--to-data', 'eight']);
    expect((await place.bough(['beside', 'root-1', ...at])).out).toBe('root-1 (root-1): list of tags ×1.\n');
    expect((await place.bough(['beside', '--remove', ...at])).out).toContain('list of tags ×1. Removed.');
    expect((await place.bough(['beside', '--json', ...at])).json()).toEqual([]);
    expect((await place.bough(['beside', '--remove', '--data', 'seven'])).out).toContain('own files, and stay');
  });

  it('CLI-101: so does an import', async () => {
    await loom('five');
    const { out } = await place.bough(['import', 'five', '--data', 'six', '--store', 'files']);
    expect(out).toContain('Kept beside the projects, for the way back: list of tags ×1.');
  });
});
