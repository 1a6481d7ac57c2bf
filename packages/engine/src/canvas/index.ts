import type {
  Branch,
  CanvasBlock,
  CanvasVersion,
  MergeChoice,
  MergePart,
  NodeId,
  ProjectId,
  TreeNode,
} from '@bough/core';
import {
  CANVAS_CHARACTERS,
  canvasBase,
  canvasTold,
  canvasVersions,
  conflictsIn,
  createNode,
  diffLines,
  merge3,
  mergedText,
  titleFrom,
  UNTITLED,
} from '@bough/core';
import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import { summaryOn } from '../assemble/summarised.ts';
import { requireIdle } from '../branches/change.ts';
import type { Environment } from '../environment.ts';
import type { CurrentCanvas } from './current.ts';
import { canvasOf, pathTo } from './current.ts';

export type { CurrentCanvas } from './current.ts';

/** The canvas of a branch, or one of its versions; null where nobody has written one. */
export async function readCanvas(
  env: Environment,
  projectId: ProjectId,
  ref: string,
  version?: string,
): Promise<CurrentCanvas | null> {
  const path = await pathOf(env, await env.store.getBranch(projectId, ref));
  if (version === undefined) return canvasOf(env, projectId, path);
  const found = canvasVersions(path).find(({ nodeId }) => nodeId === version);
  if (found === undefined) throw new RequestError('no_canvas', `The branch has no version "${version}" of the canvas.`);
  return found;
}

/** A version as it is listed: how it differs from the one before, without its text. */
export interface ListedVersion extends Omit<CanvasVersion, 'type' | 'text'> {
  readonly characters: number;
  readonly added: number;
  readonly removed: number;
}

/** The versions on the path of a branch, newest first. */
export async function canvasHistory(
  env: Environment,
  projectId: ProjectId,
  ref: string,
): Promise<readonly ListedVersion[]> {
  const versions = canvasVersions(await pathOf(env, await env.store.getBranch(projectId, ref)));
  return versions
    .map(({ text, nodeId, createdAt, by, inContext, mergedFrom }, index): ListedVersion => {
      const { added, removed } = diffLines(versions[index - 1]?.text ?? '', text);
      const merged = mergedFrom === undefined ? {} : { mergedFrom };
      return { nodeId, createdAt, by, inContext, ...merged, characters: text.length, added, removed };
    })
    .toReversed();
}

export interface CanvasEdit {
  readonly ref: string;
  readonly text: string;
  /** As in the version before, if absent. */
  readonly inContext?: boolean | undefined;
  /** The version that the writer has read, by its node; null if there was none. */
  readonly expected: string | null;
}

/** A person's version, at the end of the branch between two turns. The same text again is no version. */
export async function writeCanvas(env: Environment, projectId: ProjectId, edit: CanvasEdit): Promise<CurrentCanvas> {
  const branch = await env.store.getBranch(projectId, edit.ref);
  const path = await pathOf(env, branch);
  const before = await canvasOf(env, projectId, path);
  const text = edit.text.replace(/\r\n?/g, '\n');
  const inContext = edit.inContext ?? before?.inContext ?? false;
  // A request that comes again after its answer was lost has done its work.
  if (before !== null && before.text === text && before.inContext === inContext) return before;
  requireExpected(before, edit.expected);
  return store(env, branch, path, { type: 'canvas', text, by: 'person', inContext }, before);
}

export interface CanvasMerge {
  /** The branch that gets the canvas of the other one. */
  readonly ref: string;
  readonly from: string;
  /** Which side counts, for each conflict in its order. */
  readonly choices?: readonly MergeChoice[] | undefined;
  readonly expected?: string | null | undefined;
  /** Show what would come of it, and store nothing. */
  readonly preview?: boolean | undefined;
}

export interface MergedCanvas {
  readonly parts: readonly MergePart[];
  readonly conflicts: number;
  /** The whole text; null while a conflict is open. */
  readonly text: string | null;
  /** The version that counts on the branch, if nothing is open and nothing was to be shown only. */
  readonly saved: CurrentCanvas | null;
}

/** Brings the canvas of another branch, three ways. Nothing is stored while a conflict is open. */
export async function mergeCanvas(env: Environment, projectId: ProjectId, merge: CanvasMerge): Promise<MergedCanvas> {
  const branch = await env.store.getBranch(projectId, merge.ref);
  const other = await env.store.getBranch(projectId, merge.from);
  if (other.id === branch.id)
    throw new RequestError(
      'merge_with_itself',
      `"${branch.name}" has its own canvas already. Choose the branch that it is to be brought from.`,
    );
  const [path, theirPath] = [await pathOf(env, branch), await pathOf(env, other)];
  const ours = await canvasOf(env, projectId, path);
  const theirs = await canvasOf(env, projectId, theirPath);
  if (theirs === null) throw new RequestError('no_canvas', `The branch "${other.name}" has no canvas to bring.`);
  if (merge.expected !== undefined) requireExpected(ours, merge.expected);
  const base = await baseOf(env, projectId, path, theirPath);
  const parts = merge3(base, ours?.text ?? '', theirs.text);
  const conflicts = conflictsIn(parts).length;
  const { choices = [] } = merge;
  if (choices.length > conflicts)
    throw new RequestError('invalid_content', `There are ${conflicts} conflicts, and ${choices.length} choices.`);
  const text = mergedText(parts, choices);
  const result = { parts, conflicts, text, saved: null };
  if (text === null || merge.preview === true) return result;
  const { nodeId, inContext } = theirs;
  // Where all that is theirs was there already, or was decided against, that is a version too: it would be asked again.
  const isNew = theirs.text !== base && nodeId !== null;
  if (ours !== null && text === ours.text && !isNew) return { ...result, saved: ours };
  const block: CanvasBlock = {
    type: 'canvas',
    text,
    by: 'person',
    inContext: ours?.inContext ?? inContext,
    ...(nodeId === null ? {} : { mergedFrom: nodeId }),
  };
  return { ...result, saved: await store(env, branch, path, block, ours) };
}

/** What both have in common; where nobody wrote a version before they parted, what another program kept there. */
async function baseOf(
  env: Environment,
  projectId: ProjectId,
  path: readonly TreeNode[],
  theirPath: readonly TreeNode[],
): Promise<string> {
  const theirs = new Set(theirPath.map(({ id }) => id));
  const shared = path.filter(({ id }) => theirs.has(id));
  const known = canvasBase(path, theirPath);
  if (known !== null && !shared.some(({ id }) => id === known.nodeId)) return known.text;
  return (await canvasOf(env, projectId, shared))?.text ?? '';
}

async function pathOf(env: Environment, { projectId, tipId }: Branch): Promise<readonly TreeNode[]> {
  return pathTo(env, projectId, tipId);
}

function requireExpected(found: CurrentCanvas | null, expected: string | null): void {
  const version: NodeId | null = found?.nodeId ?? null;
  if (version === expected) return;
  throw new ConflictError(
    'document_changed',
    'The canvas of this branch has another version by now. Read it, and write your change again.',
    version,
  );
}

async function store(
  env: Environment,
  branch: Branch,
  path: readonly TreeNode[],
  block: CanvasBlock,
  before: CurrentCanvas | null,
): Promise<CurrentCanvas> {
  const { text, inContext } = block;
  const { id, projectId, tipId } = branch;
  if (text.length > CANVAS_CHARACTERS) {
    const most = `at most ${CANVAS_CHARACTERS}`;
    throw new RequestError('invalid_content', `The canvas has ${text.length} characters; it may have ${most}.`);
  }
  await requireIdle(env, branch);
  const sent = await sentVersions(env, branch, path);
  const last = sent.at(-1);
  const isKnown = last !== undefined && last.nodeId === before?.nodeId && last.inContext && last.text === text;
  const told = inContext && !isKnown ? [{ type: 'text', text: canvasTold(sent, text) }] : [];
  const node = createNode({
    id: env.ids.node(),
    projectId,
    parentId: tipId,
    role: 'user',
    contentBlocks: [...told, block],
    createdOnBranch: id,
    createdAt: env.now().toISOString(),
  });
  await env.store.appendNodes(projectId, [node], { branchId: id, expected: tipId, next: node.id });
  if (tipId === null) await nameProject(env, projectId, text);
  await env.store.publish({ type: 'changed', projectId });
  return { ...block, nodeId: node.id, createdAt: node.createdAt };
}

/** Those that models still read on the branch: one that is left out, or stands behind a summary, is no longer known. */
async function sentVersions(
  env: Environment,
  { projectId, envelope }: Branch,
  path: readonly TreeNode[],
): Promise<readonly CanvasVersion[]> {
  const { summaries, choices = {} } = envelope;
  const summary = await summaryOn(env, projectId, path, summaries);
  const start = path.findIndex(({ id }) => id === summary?.upTo) + 1;
  return canvasVersions(path.slice(start).filter(({ id }) => choices[id] !== 'leave_out'));
}

/** A project that begins with its document has no first message that could name it. */
async function nameProject(env: Environment, projectId: ProjectId, text: string): Promise<void> {
  const { name } = await env.store.getProject(projectId);
  if (name === UNTITLED && text.trim() !== '') await env.store.updateProject(projectId, { name: titleFrom(text) });
}
