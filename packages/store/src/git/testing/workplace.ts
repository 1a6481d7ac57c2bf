import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createOwnDirectory } from '../process/own-directory.ts';
import type { GitPlace } from '../process/run.ts';
import { type GitStore, type GitStoreOptions, openGitStore } from '../index.ts';

/** A directory for one test, removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-git-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that is closed when the test ends. */
export async function openStore(directory: string, options: Partial<GitStoreOptions> = {}): Promise<GitStore> {
  const store = await openGitStore({ directory, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A bare repository, with a directory for git to work in. */
export async function newRepository(): Promise<GitPlace> {
  const gitDir = await temporaryDirectory();
  git(gitDir, 'init', '--quiet', '--bare', '.');
  return placeFor(gitDir);
}

export async function placeFor(gitDir: string): Promise<GitPlace> {
  return { gitDir, own: await createOwnDirectory(await temporaryDirectory()) };
}

/** git as a person uses it: from the project's directory, with their own identity. */
export function git(directory: string, ...args: readonly string[]): string {
  return gitWithInput(directory, '', ...args);
}

export function gitWithInput(directory: string, input: string, ...args: readonly string[]): string {
  const identity = [
    '-c',
    'user.name=Somebody',
    '-c',
    'user.email=somebody@example.org',
    '-c',
    'protocol.file.allow=always',
  ];
  return execFileSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8', stdio: 'pipe', input }).trim();
}

/** The lines of `nodes.jsonl` at a ref. */
export function linesAt(directory: string, ref: string): string[] {
  const text = git(directory, 'show', `${ref}:nodes.jsonl`);
  return text === '' ? [] : text.split('\n');
}

/** git's own verdict; silent where everything is sound. */
export function fsck(directory: string): string {
  return git(directory, 'fsck', '--strict', '--no-dangling', '--no-progress');
}
