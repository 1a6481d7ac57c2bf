import { isToolUseBlock } from '../blocks/index.ts';
import type { Compacting, NodeId, TreeNode } from '../entities/index.ts';

/** A person is told before anything is trimmed, and decides. */
export const DEFAULT_COMPACTING: Compacting = { mode: 'ask', share: 0.8 };

/** What a model is asked for where a person writes nothing else. */
export const SUMMARY_INSTRUCTION = [
  'Summarise this conversation so far. From now on your summary stands in its place: whoever goes on has only that.',
  'Answer with the summary alone, and call no tools. Keep names, numbers, identifiers and wording exact. Tell:',
  '- what is wanted, and what was asked for on the way;',
  '- every file that matters: its path, what is in it, what was changed in it and why;',
  '- what was decided, and the reasons;',
  '- facts, results and errors that may be needed again;',
  '- what is done, what is under way, and which questions are open.',
].join('\n');

/**
 * The node with which a summary of everything up to `upTo` ends: the last one of its turn, so that no reply loses its
 * question and no call its result. Null where the node is not on the path.
 */
export function endOfTurn(path: readonly TreeNode[], upTo: NodeId): TreeNode | null {
  const at = path.findIndex(({ id }) => id === upTo);
  if (at < 0) return null;
  return path.find((_, index) => index >= at && isBorder(path, index)) ?? null;
}

/**
 * Whether a summary may end with this node: a message of the user follows, or nothing, and every call above it has its
 * result. Instructions that follow a turn belong to it: at the beginning of a request they are the system prompt.
 */
function isBorder(path: readonly TreeNode[], index: number): boolean {
  const next = path[index + 1];
  if (next !== undefined && next.role !== 'user') return false;
  const turn = path.slice(0, index + 1);
  const caller = turn.findLast(({ role }) => role === 'assistant');
  const results = new Set(
    turn.slice(caller === undefined ? 0 : turn.indexOf(caller)).map(({ toolCallId }) => toolCallId),
  );
  const calls = caller?.isError === false && !caller.interrupted ? caller.contentBlocks.filter(isToolUseBlock) : [];
  return calls.every(({ id }) => results.has(id));
}
