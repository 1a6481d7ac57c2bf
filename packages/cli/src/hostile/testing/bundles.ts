import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Decoy } from './decoy.ts';
import type { Hostile } from './loom.ts';
import { put } from './loom.ts';

const EVIL = '../../home/.bashrc';

async function replaceByLink(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Bundles as somebody else may have written them, each made from a sound one. */
export function bundles({ home }: Decoy, sound: string): readonly Hostile[] {
  const spoiled = (name: string, spoil: (directory: string) => Promise<void>): Hostile => ({
    name,
    make: async (directory) => {
      await cp(sound, directory, { recursive: true });
      await spoil(directory);
    },
  });
  /** Changes a field in every line of a file. */
  const changed = (file: string, change: (record: Record<string, unknown>) => unknown): Hostile =>
    spoiled(`${file} with ${change.toString().slice(0, 60)}`, async (directory) => {
      const lines = (await readFile(join(directory, file), 'utf8')).split('\n').filter((line) => line !== '');
      const records = lines.map((line) => change(JSON.parse(line) as Record<string, unknown>));
      await writeFile(join(directory, file), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    });
  const treasure = join(home, '.config/treasure.json');
  const links = ['bundle.json', 'nodes.jsonl', 'turns.jsonl', 'branches.jsonl', 'calls.jsonl', 'renderings.jsonl'];
  return [
    ...links.map((name) => spoiled(`${name} as a link`, (directory) => replaceByLink(join(directory, name), treasure))),
    spoiled('lines as a link to what never ends', (directory) =>
      replaceByLink(join(directory, 'nodes.jsonl'), '/dev/zero'),
    ),
    spoiled('raw that is somebody’s file', async (directory) => {
      const hash = createHash('sha256')
        .update(await readFile(treasure))
        .digest('hex');
      await replaceByLink(join(directory, 'raw', hash.slice(0, 2), `${hash}.json`), treasure);
      await withRaw(directory, hash);
    }),
    spoiled('raw in a linked directory', async (directory) => {
      await replaceByLink(join(directory, 'raw'), join(home, '.config'));
      await withRaw(directory, 'ab'.repeat(32));
    }),
    spoiled('raw by a path', (directory) => withRaw(directory, `../${EVIL}`)),
    spoiled('lines that are a pipe', async (directory) => {
      execFileSync('sh', ['-c', 'rm "$0" && mkfifo "$0"', join(directory, 'nodes.jsonl')]);
    }),
    spoiled('a line of a hundred megabytes', (directory) => truncate(join(directory, 'nodes.jsonl'), 100e6)),
    spoiled('nesting without end', (directory) => put(join(directory, 'nodes.jsonl'), '['.repeat(2e6))),
    spoiled('a manifest that is nested without end', (directory) =>
      put(join(directory, 'bundle.json'), '['.repeat(2e6)),
    ),
    spoiled('no JSON', (directory) => put(join(directory, 'bundle.json'), 'none')),
    changed('nodes.jsonl', () => null),
    changed('nodes.jsonl', () => 5),
    changed('nodes.jsonl', (record) => ({ ...record, projectId: 'another' })),
    changed('nodes.jsonl', (record) => ({ ...record, contentBlocks: null })),
    changed('nodes.jsonl', (record) => ({ ...record, id: EVIL, parentId: null })),
    changed('nodes.jsonl', (record) => ({ ...record, parentId: record['id'] })),
    changed('branches.jsonl', (record) => ({ ...record, name: EVIL, id: EVIL })),
    changed('branches.jsonl', (record) => ({ ...record, name: '\u001b]0;owned\u0007', envelope: [] })),
    changed('turns.jsonl', (record) => ({ ...record, status: '__proto__' })),
    spoiled('a project that leads out', async (directory) => {
      const manifest = JSON.parse(await readFile(join(directory, 'bundle.json'), 'utf8')) as {
        project: { id: string };
      };
      const text = JSON.stringify(manifest.project.id);
      for (const name of links) {
        const path = join(directory, name);
        await writeFile(path, (await readFile(path, 'utf8')).replaceAll(text, JSON.stringify(EVIL)));
      }
    }),
  ];
}

async function withRaw(directory: string, raw: string): Promise<void> {
  const [line = '{}'] = (await readFile(join(directory, 'turns.jsonl'), 'utf8')).split('\n');
  const turn = JSON.parse(line) as { id: string; projectId: string };
  const call = {
    id: 'c',
    projectId: turn.projectId,
    turnId: turn.id,
    nodeId: null,
    provider: 'p',
    deployment: 'd',
    model: 'm',
    status: 'complete',
    requestHash: '',
    providerRequestId: null,
    responseId: null,
    startedAt: '2025-01-01',
    firstByteAt: null,
    endedAt: null,
    usage: null,
    cost: null,
    errorCode: null,
  };
  await writeFile(join(directory, 'calls.jsonl'), `${JSON.stringify({ call, raw })}\n`);
}
