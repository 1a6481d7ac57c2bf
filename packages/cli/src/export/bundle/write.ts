import type { Branch, Project, ProjectId, TreeNode, Turn } from '@bough/core';
import { BoughError, getMessageGroups } from '@bough/core';
import type { Store } from '@bough/store';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { markdownOf } from '../document/markdown.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, FILES, MANIFEST, rawFile } from './layout.ts';
import { isBundle } from './read.ts';

export interface BundleReport {
  readonly directory: string;
  readonly records: Readonly<Record<'branch' | 'turn' | 'node' | 'call' | 'rendering', number>>;
  readonly rawFiles: number;
}

/** Writes everything of a project as plain files. It becomes visible whole: until then it has another name. */
export async function writeBundle(
  store: Store,
  project: ProjectId,
  directory: string,
  onRecord: (count: number) => void = () => undefined,
): Promise<BundleReport> {
  await requirePlace(directory);
  const draft = `${directory}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    const report = await fill(store, project, draft, onRecord);
    await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);
    return { directory, ...report };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** An older bundle is replaced; anything else that is there is somebody's, and stays. */
async function requirePlace(directory: string): Promise<void> {
  const entries = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new BoughError('not_a_directory', `${directory} cannot be used: ${error.message}`, { cause: error });
  });
  if (entries.length > 0 && !(await isBundle(directory))) {
    throw new BoughError('directory_not_empty', `${directory} holds other files. Name a new directory with --out.`);
  }
}

async function fill(
  store: Store,
  projectId: ProjectId,
  directory: string,
  onRecord: (count: number) => void,
): Promise<Omit<BundleReport, 'directory'>> {
  const records = { branch: 0, turn: 0, node: 0, call: 0, rendering: 0 };
  const raws = new Set<string>();
  const files: Record<keyof typeof FILES, FileHandle> = {
    branch: await open(join(directory, FILES.branch), 'w'),
    turn: await open(join(directory, FILES.turn), 'w'),
    node: await open(join(directory, FILES.node), 'w'),
    call: await open(join(directory, FILES.call), 'w'),
    rendering: await open(join(directory, FILES.rendering), 'w'),
  };
  const branches: Branch[] = [];
  const turns: Turn[] = [];
  let project: Project | null = null;
  try {
    for await (const record of store.exportProject(projectId)) {
      if (record.type === 'project') {
        project = record.value;
        continue;
      }
      let line: unknown = record.value;
      if (record.type === 'branch') branches.push(record.value);
      if (record.type === 'turn') turns.push(record.value);
      if (record.type === 'call') {
        const raw = record.raw === null ? null : await writeRaw(directory, JSON.stringify(record.raw), raws);
        line = { call: record.value, raw };
      }
      await files[record.type].write(`${JSON.stringify(line)}\n`);
      records[record.type] += 1;
      onRecord(Object.values(records).reduce((sum, count) => sum + count, 0));
    }
  } finally {
    for (const file of Object.values(files)) await file.close();
  }
  const manifest = { format: BUNDLE_FORMAT, version: BUNDLE_VERSION, project };
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeReadable(store, projectId, directory, branches, turns);
  return { records, rawFiles: raws.size };
}

async function writeRaw(directory: string, text: string, written: Set<string>): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex');
  if (written.has(hash)) return hash;
  written.add(hash);
  const path = join(directory, rawFile(hash));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return hash;
}

/** For people only: nothing of it is read back. */
async function writeReadable(
  store: Store,
  project: ProjectId,
  directory: string,
  branches: readonly Branch[],
  turns: readonly Turn[],
): Promise<void> {
  const taken = new Set<string>();
  await mkdir(join(directory, 'branches'), { recursive: true });
  for (const { name, tipId } of branches) {
    const path: readonly TreeNode[] = tipId === null ? [] : await store.path(project, tipId);
    const file = fileName(name, taken);
    const text = markdownOf({ title: name, groups: getMessageGroups(path, turns), reasoning: 'folded' });
    await writeFile(join(directory, 'branches', `${file}.md`), text);
  }
}

/** Letters and digits only: a branch may be named after anything, `..` included. */
function fileName(name: string, taken: Set<string>): string {
  const plain =
    name
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'branch';
  let found = plain;
  for (let number = 2; taken.has(found.toLowerCase()); number += 1) found = `${plain}-${number}`;
  taken.add(found.toLowerCase());
  return found;
}
