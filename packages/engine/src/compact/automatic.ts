import type { NodeId, TreeNode } from '@bough/core';
import { DEFAULT_COMPACTING, estimateMessageTokens, messageOfNode, summariesSetting, turnsIn } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import { summaryOn } from '../assemble/summarised.ts';
import type { Environment } from '../environment.ts';
import type { RunningTurn } from '../turn/running.ts';
import { rangeOf } from './range.ts';
import { writeSummary } from './write.ts';

/** The newest turns stay as they are, as far as they fit into this part of what may be filled. */
const KEPT_PART = 0.125;
/** What one summary is made from fits into this share: an imported conversation may fill several windows. */
const READ_SHARE = 0.6;
/** A conversation of more windows than this is trimmed after all. */
const MOST_SUMMARIES = 12;

/**
 * Before the first call of a turn: where the window is fuller than the branch allows, the beginning of the conversation
 * is summarised, or that is suggested. True where the request has to be made again. What goes wrong costs the summary
 * and not the turn: then the oldest turns are trimmed, as they are without summaries.
 */
export async function compactFirst(env: Environment, running: RunningTurn, prepared: PreparedCall): Promise<boolean> {
  const { envelope } = running.branch;
  const { mode, share } = envelope.compacting ?? DEFAULT_COMPACTING;
  if (mode === 'off') return false;
  const { contextWindow } = env.providers.get(envelope.provider).modelInfo(envelope.model);
  const isTrimmed = prepared.context.report.some(({ reasons }) => reasons.includes('trimmed'));
  const fill = prepared.context.estimatedTokens / contextWindow;
  if (fill < share && !isTrimmed) return false;
  if (mode === 'ask') {
    await tell(running, 'compaction_suggested', suggestion(fill, isTrimmed));
    return false;
  }
  try {
    const count = await summariseUntilItFits(env, running, { contextWindow, share });
    if (count === 0) return false;
    const why = isTrimmed ? 'the conversation no longer fits into the window' : 'the window was nearly full';
    await tell(running, 'compacted', `Older messages were summarised before this reply, because ${why}.`);
    await env.store.publish({ type: 'changed', projectId: running.turn.projectId });
    return true;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // Whoever stopped the turn stopped the summary, and is told of nothing else.
    if (running.abort.signal.aborted) return true;
    await tell(running, 'compaction_failed', `${error.message} The oldest messages may be left out instead.`);
    return running.branch.envelope !== envelope;
  }
}

function suggestion(fill: number, isTrimmed: boolean): string {
  return isTrimmed
    ? 'The conversation no longer fits into the window: its oldest messages are left out. A summary would keep what matters.'
    : `The conversation fills ${Math.round(fill * 100)} % of the window. A summary of its beginning would make room.`;
}

async function tell(running: RunningTurn, code: string, message: string): Promise<void> {
  await running.log.write({ lines: [{ type: 'notice', code, message }] });
}

/** How many summaries it took: each is made from no more than fits into a request, and from the one before it. */
async function summariseUntilItFits(env: Environment, running: RunningTurn, room: Room): Promise<number> {
  for (let count = 0; count < MOST_SUMMARIES; count += 1) {
    const path = await env.store.path(running.turn.projectId, running.tip);
    const next = await nextCut(env, running, path, room);
    if (next === null || (count > 0 && next.isSmall)) return count;
    await summarise(env, running, path, next.upTo);
  }
  return MOST_SUMMARIES;
}

interface Room {
  readonly contextWindow: number;
  readonly share: number;
}

interface Cut {
  readonly upTo: NodeId;
  /** What is not summarised fits well: another summary would only cost. */
  readonly isSmall: boolean;
}

/** The end of the next summary; null where nothing but the newest turns is left. */
async function nextCut(
  env: Environment,
  { branch }: RunningTurn,
  path: readonly TreeNode[],
  { contextWindow, share }: Room,
): Promise<Cut | null> {
  const placed = await summaryOn(env, branch.projectId, path, branch.envelope.summaries);
  const start = placed === null ? 0 : path.findIndex(({ id }) => id === placed.upTo) + 1;
  // The message that is to be answered is never summarised, nor is anything of its turn.
  const asked = path.findLastIndex(({ role }) => role === 'user');
  const turns = turnsIn(path.slice(start, Math.max(start, asked)));
  const tokens = turns.map((turn) => turn.reduce((sum, node) => sum + estimateMessageTokens(messageOfNode(node)), 0));
  let kept = 0;
  let end = turns.length;
  while (end > 0 && kept + (tokens[end - 1] ?? 0) <= contextWindow * share * KEPT_PART) {
    end -= 1;
    kept += tokens[end] ?? 0;
  }
  let read = 0;
  let cut = 0;
  while (cut < end && (cut === 0 || read + (tokens[cut] ?? 0) <= contextWindow * READ_SHARE)) {
    read += tokens[cut] ?? 0;
    cut += 1;
  }
  const last = turns[cut - 1]?.at(-1);
  const total = tokens.reduce((sum, each) => sum + each, 0);
  return last === undefined ? null : { upTo: last.id, isSmall: total <= contextWindow * READ_SHARE };
}

async function summarise(
  env: Environment,
  running: RunningTurn,
  path: readonly TreeNode[],
  upTo: NodeId,
): Promise<void> {
  const { branch, abort } = running;
  const range = await rangeOf(env, branch, path, upTo);
  const written = await writeSummary(env, range, undefined, { signal: abort.signal });
  if (!('call' in written)) return;
  // Read again: a permission that was withdrawn while the summary was written stays withdrawn.
  const now = await env.store.getBranch(branch.projectId, branch.id);
  const summaries = [...(now.envelope.summaries ?? []), written.id];
  const envelope = { ...now.envelope, ...summariesSetting(summaries) };
  running.branch = await env.store.updateBranch(branch.projectId, branch.id, { envelope });
}
