import type {
  Annotation,
  BlobHash,
  Branch,
  Call,
  NodeId,
  Project,
  ProjectId,
  Rendering,
  TreeNode,
  Turn,
} from '@bough/core';
import { blobsOf, getMessageGroups, inAnnotationOrder } from '@bough/core';
import type { ForeignDocument, Store } from '@bough/store';
import { createHash } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { markdownOf } from '../document/markdown.ts';
import { PRIVATE, PRIVATE_DIRECTORY, writeBlob, writeDirectory } from '../whole-directory.ts';
import {
  ANNOTATIONS_FILE,
  BUNDLE_FORMAT,
  BUNDLE_NAMES,
  BUNDLE_VERSIONS,
  fileOfBlob,
  FILES,
  FOREIGN_FILE,
  MANIFEST,
  rawFile,
} from './layout.ts';
import { isBundle } from './read.ts';

export interface BundleReport {
  readonly directory: string;
  readonly records: Readonly<Record<'branch' | 'turn' | 'node' | 'call' | 'rendering' | 'annotation', number>>;
  readonly rawFiles: number;
  readonly files: number;
}

/** Writes everything in a project as plain files. */
export async function writeBundle(
  store: Store,
  project: ProjectId,
  directory: string,
  onRecord: (count: number) => void = () => undefined,
): Promise<BundleReport> {
  const isOlder = async (entries: readonly string[]): Promise<boolean> =>
    (await isBundle(directory)) && entries.every((name) => BUNDLE_NAMES.has(name));
  const report = await writeDirectory(directory, isOlder, (draft) => fill(store, project, draft, onRecord));
  return { directory, ...report };
}

async function fill(
  store: Store,
  projectId: ProjectId,
  directory: string,
  onRecord: (count: number) => void,
): Promise<Omit<BundleReport, 'directory'>> {
  const raws = new Set<string>();
  const files = new Set<BlobHash>();
  const found: Gathered = { branches: [], turns: [], nodes: new Map(), calls: [], renderings: [] };
  const foreign: ForeignDocument[] = [];
  const annotations: Annotation[] = [];
  let project: Project | null = null;
  let count = 0;
  const nodes = await open(join(directory, FILES.node), 'w', PRIVATE.mode);
  try {
    for await (const record of store.exportProject(projectId)) {
      if (record.type === 'project') project = record.value;
      else if (record.type === 'foreign') foreign.push(record.value);
      else if (record.type === 'branch') found.branches.push(record.value);
      else if (record.type === 'turn') found.turns.push(record.value);
      else if (record.type === 'rendering') found.renderings.push(record.value);
      else if (record.type === 'annotation') annotations.push(record.value);
      else if (record.type === 'call') {
        const raw = record.raw === null ? null : await writeRaw(directory, JSON.stringify(record.raw), raws);
        found.calls.push({ call: record.value, raw });
      } else {
        found.nodes.set(record.value.id, found.nodes.size);
        await nodes.write(`${JSON.stringify(record.value)}\n`);
        for (const hash of blobsOf(record.value.contentBlocks)) {
          if (files.has(hash)) continue;
          files.add(hash);
          await writeBlob(store, projectId, hash, join(directory, fileOfBlob(hash)));
        }
      }
      onRecord((count += 1));
    }
  } finally {
    await nodes.close();
  }
  const { turns, calls, renderings } = inOrder(found);
  const version = versionOf({ annotations, foreign, files: [...files] });
  const manifest = { format: BUNDLE_FORMAT, version, project };
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, PRIVATE);
  // A file that a version has is there even if it is empty: one that was lost is noticed.
  if (foreign.length + annotations.length > 0) await writeLines(join(directory, FOREIGN_FILE), foreign);
  if (annotations.length > 0)
    await writeLines(join(directory, ANNOTATIONS_FILE), annotations.toSorted(inAnnotationOrder));
  await writeLines(join(directory, FILES.branch), found.branches);
  await writeLines(join(directory, FILES.turn), turns);
  await writeLines(join(directory, FILES.call), calls);
  await writeLines(join(directory, FILES.rendering), renderings);
  await writeReadable(store, projectId, directory, found.branches, turns);
  return {
    records: {
      branch: found.branches.length,
      turn: turns.length,
      node: found.nodes.size,
      call: calls.length,
      rendering: renderings.length,
      annotation: annotations.length,
    },
    rawFiles: raws.size,
    files: files.size,
  };
}

type Parts = Readonly<Record<'annotations' | 'foreign' | 'files', readonly unknown[]>>;

/** The first one that has a place for everything. */
function versionOf({ annotations, foreign, files }: Parts): number {
  if (annotations.length > 0) return BUNDLE_VERSIONS.withAnnotations;
  if (foreign.length > 0) return BUNDLE_VERSIONS.withForeign;
  return files.length > 0 ? BUNDLE_VERSIONS.withFiles : BUNDLE_VERSIONS.plain;
}

interface Gathered {
  readonly branches: Branch[];
  readonly turns: Turn[];
  /** Each with its position. */
  readonly nodes: Map<NodeId, number>;
  readonly calls: { readonly call: Call; readonly raw: string | null }[];
  readonly renderings: Rendering[];
}

/**
 * Stores return turns, calls and renderings in their own orders; here they get a fixed one, or equal projects would
 * differ.
 */
function inOrder({ turns, calls, renderings, nodes }: Gathered): Pick<Gathered, 'turns' | 'calls' | 'renderings'> {
  const sorted = turns.toSorted((a, b) => byText(a.createdAt, b.createdAt) || byText(a.id, b.id));
  const placeOf = new Map(sorted.map((turn, place) => [turn.id, place]));
  const turnOf = ({ call }: Gathered['calls'][number]): number => placeOf.get(call.turnId) ?? -1;
  const nodeOf = ({ nodeId }: Rendering): number => nodes.get(nodeId) ?? -1;
  return {
    turns: sorted,
    // Calls of one turn stay in order: where several made one node, the last one's raw is the node's.
    calls: calls.toSorted((a, b) => turnOf(a) - turnOf(b)),
    renderings: renderings.toSorted((a, b) => nodeOf(a) - nodeOf(b) || byText(a.key, b.key)),
  };
}

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

async function writeLines(path: string, values: readonly unknown[]): Promise<void> {
  await writeFile(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''), PRIVATE);
}

async function writeRaw(directory: string, text: string, written: Set<string>): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex');
  if (written.has(hash)) return hash;
  written.add(hash);
  const path = join(directory, rawFile(hash));
  await mkdir(dirname(path), PRIVATE_DIRECTORY);
  await writeFile(path, text, PRIVATE);
  return hash;
}

/** For people only: none of it is read back. */
async function writeReadable(
  store: Store,
  project: ProjectId,
  directory: string,
  branches: readonly Branch[],
  turns: readonly Turn[],
): Promise<void> {
  const taken = new Set<string>();
  await mkdir(join(directory, 'branches'), PRIVATE_DIRECTORY);
  for (const { name, tipId } of branches) {
    const path: readonly TreeNode[] = tipId === null ? [] : await store.path(project, tipId);
    const file = fileName(name, taken);
    const text = markdownOf({
      title: name,
      groups: getMessageGroups(path, turns),
      reasoning: 'folded',
      addressOf: ({ hash }) => `../${fileOfBlob(hash)}`,
    });
    await writeFile(join(directory, 'branches', `${file}.md`), text, PRIVATE);
  }
}

/** Letters and digits only: a branch name may be anything, including `..`. */
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
