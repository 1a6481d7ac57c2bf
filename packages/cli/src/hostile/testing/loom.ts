import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import type { Decoy } from './decoy.ts';

/** A Loom directory made by somebody else, and what is wrong with it. */
export interface Hostile {
  readonly name: string;
  readonly make: (directory: string) => Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

const nodeOf = (root: string, name: string, parent: string, more: Json = {}): Json => ({
  id: `${root}/${name}`,
  root_id: root,
  parent_id: parent,
  child_ids: [],
  message: { role: 'user', content: `Hello from ${name}` },
  metadata: { timestamp: '2025-01-01T00:00:00.000Z', source_info: { type: 'user' } },
  ...more,
});

export async function put(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
}

/** A sound directory as Loom leaves it. */
export async function soundLoom(directory: string): Promise<void> {
  await put(
    join(directory, 'roots.json'),
    ['root-1', 'root-2'].map((id) => ({ id, child_ids: [`${id}/node-1`] })),
  );
  for (const root of ['root-1', 'root-2']) {
    await put(join(directory, root, 'nodes', 'node-1.json'), nodeOf(root, 'node-1', root));
    await put(join(directory, root, 'nodes', 'node-2.json'), nodeOf(root, 'node-2', `${root}/node-1`));
  }
}

const TURN = {
  id: 't',
  branchId: null,
  isThinkingMode: false,
  status: 'complete',
  createdAt: '2025-01-01T00:00:00.000Z',
};
const CALL = {
  id: 'c',
  nodeId: 'root-1/node-2',
  provider: 'p',
  deployment: 'd',
  model: 'm',
  status: 'complete',
  requestHash: '',
  startedAt: '2025-01-01T00:00:00.000Z',
  hasRaw: true,
};
/** A turn with a raw response, which is read from a file of its own. */
const withRaw = (directory: string): Promise<void> =>
  put(join(directory, 'root-1/bough/turns/t.json'), { ...TURN, calls: [CALL] });

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
const SECRET = 'ab'.repeat(32);
const FORMS: Readonly<Record<string, (json: string) => string>> = {
  unsigned: (json) => `${checksum(json)} ${json}\n`,
  'wrongly signed': (json) => signed(json, '00'.repeat(32)),
  'signed with a secret that came along': (json) => signed(json, hmac(json)),
};
const hmac = (json: string): string => createHmac('sha256', Buffer.from(SECRET, 'hex')).update(json).digest('hex');
const signed = (json: string, signature: string): string =>
  `${checksum(`${signature} ${json}`)} ${signature} ${json}\n`;

/** Journals that name files of the person who opens the directory. */
export function journals({ home }: Decoy): readonly Hostile[] {
  return Object.entries(FORMS).map(([form, line]) => ({
    name: `a journal, ${form}`,
    make: async (directory) => {
      await soundLoom(directory);
      const up = relative(directory, home);
      const changes: readonly Json[] = [
        { type: 'put', path: `${up}/.bashrc`, text: 'owned' },
        { type: 'put', path: join(home, '.bashrc'), text: 'owned' },
        { type: 'put', path: `${up}/planted`, text: 'owned' },
        { type: 'append', path: `${up}/.ssh/id_ed25519`, offset: 0, text: 'owned' },
        { type: 'delete', path: `root-1/../${up}/.bashrc` },
        { type: 'removeTree', path: `${up}/.ssh` },
        { type: 'adoptTree', path: 'root-3', from: `${up}/.config` },
        { type: 'put', path: 'root-1/nodes/node-9.json', text: 'owned' },
      ];
      const lines = changes.map((change) => line(JSON.stringify([change])));
      await put(join(directory, '.bough/journal/00000001.jsonl'), lines.join(''));
      await writeFile(`${directory}.key`, SECRET);
      await put(join(directory, '.bough/incoming/half/file'), 'half');
    },
  }));
}

/** Links in every place where a file or a directory is expected. */
export function links({ home }: Decoy): readonly Hostile[] {
  const files = ['roots.json', 'root-1/nodes/node-2.json', 'root-1/bough/project.json', 'root-1/bough/branches/b.json'];
  const more = ['root-1/bough/turns/t2.json', 'root-1/bough/logs/t.jsonl', 'root-1/bough/raw/c.json.gz', '.bough/lock'];
  const directories = ['root-1', 'root-1/nodes', 'root-1/bough', 'root-1/bough/raw', 'root-1/bough/branches'];
  const own = ['.bough', '.bough/journal', '.bough/tmp', '.bough/incoming'];
  const linked = (name: string, target: string): Hostile => ({
    name: `${name} as a link to ${relative(home, target) || 'the home'}`,
    make: async (directory) => {
      await soundLoom(directory);
      await withRaw(directory);
      const path = join(directory, name);
      execFileSync('rm', ['-rf', path]);
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
    },
  });
  return [
    ...[...files, ...more].map((name) => linked(name, join(home, '.config/treasure.json'))),
    linked('roots.json', join(home, 'roots.json')),
    linked('root-1/nodes/node-2.json', '/dev/zero'),
    ...[...directories, ...own].map((name) => linked(name, join(home, '.config'))),
  ];
}

/** Ids and names that would lead outside, and files that would never end. */
export function oddities({ home }: Decoy): readonly Hostile[] {
  const odd = (name: string, spoil: (directory: string) => Promise<void>): Hostile => ({
    name,
    make: async (directory) => {
      await soundLoom(directory);
      await spoil(directory);
    },
  });
  const up = '../../home/.bashrc';
  const node = 'root-1/nodes/node-2.json';
  return [
    odd('roots with ids that lead out', (directory) =>
      put(
        join(directory, 'roots.json'),
        [up, '..', '.', '', '/', '.bough', 'a\\b', '\0', home, '__proto__'].map((id) => ({ id })),
      ),
    ),
    odd('records with ids that lead out', async (directory) => {
      await put(join(directory, node), nodeOf('root-1', up, 'root-1'));
      await put(join(directory, 'root-1/bough/turns/t.json'), {
        ...TURN,
        id: up,
        calls: [{ ...CALL, id: up, nodeId: up }],
      });
      await put(join(directory, 'root-1/bough/renderings/r.json'), {
        nodeId: up,
        renderings: [{ key: up, bytes: up }],
      });
    }),
    odd('parents that lead in a circle, and to nobody', async (directory) => {
      await put(join(directory, node), nodeOf('root-1', 'node-2', 'root-1/node-3'));
      await put(join(directory, 'root-1/nodes/node-3.json'), nodeOf('root-1', 'node-3', 'root-1/node-2'));
      await put(join(directory, 'root-2/nodes/node-2.json'), nodeOf('root-2', 'node-2', 'root-2/nobody'));
    }),
    odd('escape codes in names and in what cannot be read', async (directory) => {
      const evil = '\u001b]0;owned\u0007\u009b2J';
      await put(join(directory, 'roots.json'), [{ id: evil }, { id: 'root-1' }]);
      await put(join(directory, 'root-1/nodes', `${evil}.json`), '{');
    }),
    odd('a pipe', async (directory) => {
      execFileSync('sh', ['-c', 'rm "$0" && mkfifo "$0"', join(directory, node)]);
    }),
    odd('a lock that is a pipe', async (directory) => {
      await mkdir(join(directory, '.bough'));
      execFileSync('mkfifo', [join(directory, '.bough/lock')]);
    }),
    odd('a lock of this very process', (directory) =>
      put(join(directory, '.bough/lock'), { token: 'x', pid: process.pid, host: 'elsewhere', started: null }),
    ),
    odd('a node of five gigabytes', (directory) => truncate(join(directory, node), 5e9)),
    odd('nesting without end', (directory) => put(join(directory, node), '['.repeat(2e6))),
    odd('raw that unpacks without end', async (directory) => {
      await withRaw(directory);
      const part = gzipSync(Buffer.alloc(32 << 20));
      await put(join(directory, 'root-1/bough/raw/c.json.gz'), Buffer.concat(Array.from({ length: 12 }, () => part)));
    }),
    odd('files that may not be read', (directory) => chmod(join(directory, node), 0)),
    odd('a directory in the place of a file, and a file in that of a directory', async (directory) => {
      execFileSync('sh', ['-c', 'rm -r "$0" && mkdir "$0"', join(directory, node)]);
      await put(join(directory, 'root-2/bough'), 'a file');
    }),
  ];
}
