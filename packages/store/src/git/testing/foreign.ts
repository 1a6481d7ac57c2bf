import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitWithInput, temporaryDirectory } from './workplace.ts';

/** The id of the foreign project, and the name of its directory. */
export const FOREIGN_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const LINES = ['How tall is an oak?', 'Up to forty metres.', 'And a beech?', 'A little less.'].map((content, at) =>
  JSON.stringify({
    id: `n${at + 1}`,
    timestamp: 1_700_000_000_000 + at * 1000,
    parent: at === 0 ? null : `n${at}`,
    createdOnBranch: 'main',
    type: 'message',
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }),
);

/** A repository as ResearchTree makes it: with a work tree, one commit per message. */
export async function foreignRepository(root: string): Promise<string> {
  const directory = join(root, FOREIGN_ID);
  await mkdir(directory);
  git(directory, 'init', '--quiet');
  git(directory, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  const commit = async (file: string, content: string): Promise<void> => {
    await writeFile(join(directory, file), content);
    git(directory, 'add', file);
    git(directory, 'commit', '--quiet', '-m', file);
  };
  await commit(
    'project.json',
    JSON.stringify({ id: FOREIGN_ID, name: 'Trees', createdAt: '2023-11-14T22:00:00.000Z' }),
  );
  for (let count = 1; count <= LINES.length; count += 1)
    await commit('nodes.jsonl', `${LINES.slice(0, count).join('\n')}\n`);
  return directory;
}

/** A command that records in a file that it was run. */
export interface Canary {
  readonly command: string;
  /** What was run, and with what; empty while nothing was. */
  readonly sang: () => Promise<string>;
}

export async function newCanary(): Promise<Canary> {
  const place = await temporaryDirectory();
  const [command, marker] = [join(place, 'canary'), join(place, 'marker')];
  await writeFile(command, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`);
  await chmod(command, 0o755);
  return {
    command,
    sang: async () => ((await readdir(place)).includes('marker') ? readFile(marker, 'utf8') : ''),
  };
}

/** Removes the newest text of the conversation: an object that a repository may promise to fetch. */
export async function dropNewestText(directory: string): Promise<string> {
  const blob = git(directory, 'rev-parse', 'main:nodes.jsonl');
  await rm(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  return blob;
}

/** Signs the newest commit with something that only a program could check. */
export function signNewest(directory: string): void {
  const [head, ...rest] = git(directory, 'cat-file', 'commit', 'main').split('\n\n');
  const signature = ['-----BEGIN PGP SIGNATURE-----', '', 'bm9uZQ==', '-----END PGP SIGNATURE-----'].join('\n ');
  const signed = `${head ?? ''}\ngpgsig ${signature}\n\n${rest.join('\n\n')}\n`;
  git(
    directory,
    'update-ref',
    'refs/heads/main',
    gitWithInput(directory, signed, 'hash-object', '-t', 'commit', '-w', '--stdin'),
  );
}
