import { treeOf } from '@bough/testkit';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from './program.ts';
import { makeShims } from './shims.ts';

/** What only its owner may read: it must turn up nowhere. */
export const TREASURE = 'the-treasure-of-the-decoy';

/**
 * A place that looks like somebody's computer: a home with treasures, a folder for hostile data, an empty directory for
 * temporary files, and a command and a port that must never be used.
 */
export interface Decoy {
  readonly root: string;
  readonly home: string;
  /** Where hostile data is made. */
  readonly sources: string;
  /** Where Bough may write. */
  readonly data: string;
  readonly temporary: string;
  /** Everything that can be started by name: git, which records that it was called. */
  readonly shims: string;
  readonly program: string;
  /** A command that leaves a trace when it runs, whatever it is given. */
  readonly command: string;
  /** A port that counts its visitors. */
  readonly port: number;
  /** What ran and who connected, since the last call. */
  readonly alarms: () => Promise<readonly string[]>;
  readonly dispose: () => Promise<void>;
}

export async function makeDecoy(): Promise<Decoy> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'bough-decoy-')));
  const at = (...parts: readonly string[]): string => join(root, ...parts);
  for (const name of ['home', 'home/.ssh', 'home/.config', 'sources', 'temporary', 'bin', 'canary', 'program'])
    await mkdir(at(name), { mode: 0o700 });
  await writeFile(at('home/.bashrc'), `# ${TREASURE}\n`);
  await writeFile(at('home/.ssh/id_ed25519'), `${TREASURE}\n`);
  await writeFile(at('home/roots.json'), JSON.stringify([{ id: TREASURE }]));
  await writeFile(
    at('home/.config/treasure.json'),
    JSON.stringify({ id: TREASURE, message: { role: 'user', content: TREASURE } }),
  );
  const command = at('canary', 'command');
  await writeFile(command, `#!/bin/sh\necho "$0 $*" >> '${at('canary', 'ran')}'\nexit 1\n`);
  await chmod(command, 0o755);
  const visitors: string[] = [];
  const server = createServer((socket) => {
    visitors.push('somebody connected to the port of the decoy');
    socket.destroy();
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await makeShims(at('bin'), at('canary', 'git'));
  return {
    root,
    home: at('home'),
    sources: at('sources'),
    data: at('data'),
    temporary: at('temporary'),
    shims: at('bin'),
    program: await bundleProgram(at('program')),
    command,
    port,
    alarms: async () => {
      const ran = Object.keys(await treeOf(at('canary'))).includes('ran') ? ['the command of the decoy ran'] : [];
      await rm(at('canary', 'ran'), { force: true });
      return [...ran, ...visitors.splice(0)];
    },
    dispose: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await rm(root, { recursive: true, force: true });
    },
  };
}
