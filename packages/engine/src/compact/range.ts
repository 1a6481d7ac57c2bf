import type { Branch, NodeId, ProjectId, TreeNode } from '@bough/core';
import { endOfTurn, turnsIn } from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import type { PlacedSummary } from '../assemble/summarised.ts';
import { summaryOn } from '../assemble/summarised.ts';
import type { Environment } from '../environment.ts';

/** What a summary is to stand for. */
export interface Range {
  readonly branch: Branch;
  readonly path: readonly TreeNode[];
  /** The last node that it covers: always the end of a turn. */
  readonly upTo: NodeId;
  /** The range does not end where it was asked to, because no turn ends there. */
  readonly isRounded: boolean;
  /** Everything up to there, without instructions. */
  readonly covered: readonly TreeNode[];
  /** The pinned messages among them: their turns go along behind the summary. */
  readonly pinned: readonly NodeId[];
  /** The summary that stands for a part of them already. */
  readonly before: PlacedSummary | null;
}

/** Everything up to the end of the turn of a node; without one, everything. Refuses what cannot be summarised. */
export async function planRange(
  env: Environment,
  projectId: ProjectId,
  ref: string,
  asked: NodeId | undefined,
): Promise<Range> {
  const branch = await env.store.getBranch(projectId, ref);
  const path = branch.tipId === null ? [] : await env.store.path(projectId, branch.tipId);
  const last = path.at(-1);
  if (last === undefined) throw nothing('The branch is empty.');
  return rangeOf(env, branch, path, asked ?? last.id);
}

export async function rangeOf(
  env: Environment,
  branch: Branch,
  path: readonly TreeNode[],
  asked: NodeId,
): Promise<Range> {
  const at = path.findIndex(({ id }) => id === asked);
  if (at < 0) throw nothing(`The message "${asked}" is not on the branch "${branch.name}".`);
  const before = await summaryOn(env, branch.projectId, path, branch.envelope.summaries);
  // In a turn that never ended, the range ends with the turn before.
  const end = endOfTurn(path, asked) ?? lastEnd(path.slice(0, at));
  if (end === null) throw nothing('Its first turn has not ended: a summary never splits one.');
  const index = path.indexOf(end);
  const known = before === null ? -1 : path.findIndex(({ id }) => id === before.upTo);
  if (index <= known)
    throw new RequestError(
      'already_compacted',
      'A summary on this branch stands for this message already. Choose a later one, or take that summary back first.',
    );
  const covered = path.slice(0, index + 1).filter(({ role }) => role !== 'system');
  if (covered.length === 0) throw nothing('There are only instructions up to here, and they are kept anyway.');
  const { choices = {} } = branch.envelope;
  return {
    branch,
    path,
    upTo: end.id,
    isRounded: end.id !== asked,
    covered,
    pinned: covered.flatMap(({ id }) => (choices[id] === 'pin' ? [id] : [])),
    before,
  };
}

function lastEnd(path: readonly TreeNode[]): TreeNode | null {
  for (const turn of turnsIn(path).toReversed()) {
    const last = turn.at(-1);
    const end = last === undefined ? null : endOfTurn(path, last.id);
    if (end !== null) return end;
  }
  return null;
}

function nothing(why: string): RequestError {
  return new RequestError('nothing_to_compact', `There is nothing to summarise. ${why}`);
}
