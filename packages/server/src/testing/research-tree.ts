import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const REPOSITORY = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** A repository as ResearchTree makes it, in the data directory of a server. */
export async function makeRepository(
  dataDir: string,
  lines: readonly object[],
  config: object | null,
): Promise<string> {
  const directory = join(dataDir, 'projects', REPOSITORY);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
      encoding: 'utf8',
    });
  git('init', '--quiet', '-b', 'main');
  const project = { id: REPOSITORY, name: 'Trees', createdAt: '2023-11-14T22:00:00.000Z' };
  await writeFile(join(directory, 'project.json'), JSON.stringify(project));
  await writeFile(join(directory, 'nodes.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  git('add', '.');
  git('commit', '--quiet', '-m', 'nodes');
  if (config !== null) await writeFile(join(directory, '.git', 'rt-branch-config.json'), JSON.stringify(config));
  return directory;
}

export const line = (id: string, parent: string | null, role: string, content: string, more: object = {}) => ({
  id,
  type: 'message',
  timestamp: 1_700_000_000_000,
  parent,
  createdOnBranch: 'main',
  role,
  content,
  ...more,
});
