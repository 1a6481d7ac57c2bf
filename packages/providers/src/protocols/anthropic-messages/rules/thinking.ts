import { isPlainObject } from '@bough/core';
import type { Body, WireBlock, WireTurn } from '../wire.ts';
import { isReasoning, isServerCall, messagesOf, openLoop, textOf, thinkingMode, turnsOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { coded, DOCS, finding } from './context.ts';
import { withoutBlocks, withoutEmptyMessages } from './repair.ts';

const opensWithThinking = (block: WireBlock | undefined) =>
  block?.type === 'thinking' || block?.type === 'redacted_thinking';

const manualLoopOpensWithThinking: ClaudeRule = {
  id: 'ANT-THINK-1',
  title: 'In manual mode the reply that opened the running tool loop begins with its thinking.',
  reference: 'https://github.com/Kilo-Org/kilocode/issues/5219',
  kind: 'rejection',
  check: (body, { traits }) => {
    if (thinkingMode(body, traits) !== 'manual') return [];
    return openLoop(body)
      .filter((turn) => !opensWithThinking(turn.blocks[0]))
      .map(({ blocks: [first] }) => {
        const path = `${first?.path ?? 'messages'}.type`;
        return finding(
          path,
          `${path}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type ?? 'nothing'}\`. When \`thinking\` is ` +
            'enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
            '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid ' +
            'this requirement, disable `thinking`.',
        );
      });
  },
  repair: (body) => ({ ...body, thinking: { type: 'disabled' } }),
};

const noThinkingInPrefill: ClaudeRule = {
  id: 'ANT-THINK-2',
  title: 'With thinking off, a last message of the assistant holds no thinking.',
  reference: 'https://github.com/tailcallhq/forgecode/issues/1853',
  kind: 'rejection',
  check: (body, { traits }) => {
    const last = messagesOf(body).at(-1);
    if (last?.role !== 'assistant' || !traits.prefill || thinkingMode(body, traits) !== 'off') return [];
    return last.blocks
      .filter(isReasoning)
      .map(({ path }) =>
        finding(
          path,
          `${path}: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`. ` +
            'To use thinking blocks, enable `thinking` in your request.',
        ),
      );
  },
};

/** The thinking blocks after which their message says nothing more. */
function trailing(body: Body): readonly (readonly WireBlock[])[] {
  return turnsOf(body)
    .filter((turn) => turn.role === 'assistant')
    .map(lastThoughts)
    .filter((blocks) => blocks.length > 0);
}

const lastThoughts = ({ blocks }: WireTurn): readonly WireBlock[] =>
  blocks.slice(blocks.findLastIndex((block) => !isReasoning(block)) + 1);

const thinkingIsNotLast: ClaudeRule = {
  id: 'ANT-THINK-3',
  title: "Thinking is never the last block of the assistant's message.",
  reference: 'https://github.com/tailcallhq/forgecode/issues/2107',
  kind: 'rejection',
  check: (body) =>
    trailing(body).flatMap((blocks) => {
      const path = blocks.at(-1)?.path.replace(/\.content\.\d+$/, '') ?? 'messages';
      return [finding(path, `${path}: The final block in an assistant message cannot be \`thinking\`.`)];
    }),
  repair: (body) => {
    const last = new Set(trailing(body).flatMap((blocks) => blocks.map((block) => block.value)));
    return withoutEmptyMessages(withoutBlocks(body, (block) => last.has(block.value)));
  },
};

/** What a turn that changed hands must leave out: whatever the model that declined had thought or called. */
function beforeFallback(body: Body): readonly WireBlock[] {
  return turnsOf(body)
    .filter((turn) => turn.role === 'assistant')
    .flatMap(declined);
}

function declined({ blocks }: WireTurn): readonly WireBlock[] {
  const boundary = blocks.findLastIndex((block) => block.type === 'fallback');
  return blocks.slice(0, Math.max(boundary, 0)).filter((block) => isReasoning(block) || block.type === 'tool_use');
}

const fallbackBoundary: ClaudeRule = {
  id: 'ANT-THINK-4',
  title: 'Nothing that was thought or called before the last fallback of a turn goes back.',
  reference: DOCS.fallback,
  kind: 'rejection',
  check: (body) =>
    beforeFallback(body).map(({ path, type }) =>
      finding(path, `${path}: \`${type}\` blocks before the last \`fallback\` block of a turn cannot be sent back.`),
    ),
  repair: (body) => {
    const dropped = new Set(beforeFallback(body).map((block) => block.value));
    return withoutEmptyMessages(withoutBlocks(body, (block) => dropped.has(block.value)));
  },
};

const signedCompactions = ({ blocks }: WireTurn): readonly WireBlock[] =>
  blocks.filter((block) => block.type === 'compaction' && typeof block.value['signature'] === 'string');

const signedCompaction: ClaudeRule = {
  id: 'ANT-THINK-5',
  title: 'A signed compaction stands alone and first: it replaces everything before it.',
  reference: DOCS.types,
  kind: 'rejection',
  check: (body) => {
    const signed = turnsOf(body).flatMap(signedCompactions);
    return signed.flatMap((block, at) => {
      if (at > 0) {
        return [
          coded('compaction_block_ambiguous', block.path, `${block.path}: more than one signed compaction block`),
        ];
      }
      // A message that only sets the effort may stand in front of everything.
      const [first] = turnsOf(body);
      return first?.role !== 'system' && first?.blocks[0]?.value === block.value
        ? []
        : [coded('compaction_block_misplaced', block.path, `${block.path}: a signed compaction block must come first`)];
    });
  },
};

const isEmptyCompaction = ({ type, value }: WireBlock) => type === 'compaction' && value['content'] === '';

const compactionSaysSomething: ClaudeRule = {
  id: 'ANT-THINK-6',
  title: 'A compaction holds a summary, or null if it failed, but never an empty text.',
  reference: DOCS.compaction,
  kind: 'rejection',
  check: (body) =>
    turnsOf(body)
      .flatMap(({ blocks }) => blocks.filter(isEmptyCompaction))
      .map(({ path }) =>
        finding(`${path}.compaction.content`, `${path}.compaction.content: compaction content must be non-empty`),
      ),
  repair: (body) => withoutEmptyMessages(withoutBlocks(body, isEmptyCompaction)),
};

const edits = ({ context_management: management }: Body): readonly unknown[] => {
  const list: unknown = isPlainObject(management) ? management['edits'] : undefined;
  return Array.isArray(list) ? list : [];
};

/** A request for a summary and nothing else. */
const compactionRequest: ClaudeRule = {
  id: 'ANT-THINK-7',
  title: 'A summary is requested of finished turns, and not together with other edits of the context.',
  reference: DOCS.betaTypes,
  kind: 'rejection',
  check: (body) => {
    const asks = isPlainObject(body['compaction']);
    const compacts = edits(body).some((edit) => isPlainObject(edit) && edit['type'] === 'compact_20260112');
    const isSummarised = turnsOf(body).some((turn) => signedCompactions(turn).length > 0);
    if ((asks && edits(body).length > 0) || (isSummarised && compacts)) {
      const message = 'context_management: cannot be combined with `compaction` or a signed compaction block';
      return [finding('context_management', message)];
    }
    if (!asks) return [];
    const turns = turnsOf(body);
    const last = turns.at(-1);
    if (last?.role === 'assistant' && last.blocks.some(isOpen(last))) {
      return [coded('compaction_incomplete_turn', 'messages', 'messages: the last assistant turn is not finished')];
    }
    const said = turns.flatMap(({ blocks }) => blocks).filter(({ type }) => type !== 'compaction');
    return said.length === 0
      ? [coded('compaction_nothing_to_summarize', 'messages', 'messages: there is nothing to summarize')]
      : [];
  },
};

/** Whether a call of this turn has no result in it. */
const isOpen =
  ({ blocks }: WireTurn) =>
  (call: WireBlock): boolean =>
    call.type === 'tool_use' ||
    (isServerCall(call) && !blocks.some((block) => textOf(block, 'tool_use_id') === textOf(call, 'id')));

export const thinkingRules: readonly ClaudeRule[] = [
  thinkingIsNotLast,
  fallbackBoundary,
  signedCompaction,
  compactionSaysSomething,
  compactionRequest,
  noThinkingInPrefill,
  manualLoopOpensWithThinking,
];
