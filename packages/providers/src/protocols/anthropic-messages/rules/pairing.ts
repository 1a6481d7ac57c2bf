import { memoized } from '@bough/core';
import type { Finding } from '../../../rulebook/rule.ts';
import type { Body, WireBlock, WireMessage, WireTurn } from '../wire.ts';
import {
  allBlocksOf,
  isReasoning,
  isResult,
  isServerCall,
  isServerResult,
  spokenTurns,
  textOf,
  turnsOf,
} from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';
import { isRunning } from './programs.ts';
import { withoutBlocks, withoutEmptyMessages } from './repair.ts';

const isCall = (block: WireBlock) => block.type === 'tool_use';

// Looked up anew by each rule: a turn has few blocks, and remembering something for each of a thousand turns costs more
// than looking (a body of 500 kB took twice as long).
const NONE: readonly WireBlock[] = [];
const callsOf = ({ blocks }: WireTurn): readonly WireBlock[] => (blocks.some(isCall) ? blocks.filter(isCall) : NONE);
const resultsOf = ({ blocks }: WireTurn): readonly WireBlock[] =>
  blocks.some(isResult) ? blocks.filter(isResult) : NONE;
const callIdsOf = (turn: WireTurn): ReadonlySet<string> => new Set(callsOf(turn).map((block) => textOf(block, 'id')));

/** The results that count as an answer: those at the very beginning of the turn. */
const answersOf = (turn: WireTurn): ReadonlySet<string> => {
  if (turn.role !== 'user') return new Set();
  const end = turn.blocks.findIndex((block) => !isResult(block));
  const front = end === -1 ? turn.blocks : turn.blocks.slice(0, end);
  return new Set(front.map((block) => textOf(block, 'tool_use_id')));
};

function holding(turn: WireTurn, block: WireBlock): WireMessage | undefined {
  return turn.messages.find((message) => message.blocks.includes(block));
}

function withoutAnswer(turn: WireTurn, ids: readonly string[], block: WireBlock): Finding {
  const path = `messages.${holding(turn, block)?.index ?? 0}`;
  return finding(
    path,
    `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function unansweredCalls(body: Body): readonly { readonly turn: WireTurn; readonly calls: readonly WireBlock[] }[] {
  const turns = turnsOf(body);
  const unanswered: { readonly turn: WireTurn; readonly calls: readonly WireBlock[] }[] = [];
  for (const [at, turn] of turns.entries()) {
    if (turn.role !== 'assistant' || callsOf(turn).length === 0) continue;
    const next = turns[at + 1];
    const answers = next === undefined ? undefined : answersOf(next);
    const calls = callsOf(turn).filter((block) => answers?.has(textOf(block, 'id')) !== true);
    if (calls.length > 0) unanswered.push({ turn, calls });
  }
  return unanswered;
}

const callsAreAnswered: ClaudeRule = {
  id: 'ANT-PAIR-1',
  title: 'Every call is answered at the front of the next message.',
  reference: 'https://github.com/anthropics/claude-code/issues/8210',
  kind: 'rejection',
  check: (body) =>
    unansweredCalls(body).flatMap(({ turn, calls }) => {
      const [first] = calls;
      return first === undefined
        ? []
        : [
            withoutAnswer(
              turn,
              calls.map((call) => textOf(call, 'id')),
              first,
            ),
          ];
    }),
  repair: (body) => {
    const lost = new Set(unansweredCalls(body).flatMap(({ calls }) => calls.map((call) => call.value)));
    return withoutEmptyMessages(withoutBlocks(body, (block) => lost.has(block.value)));
  },
};

function orphanResults(body: Body): readonly WireBlock[] {
  const turns = turnsOf(body);
  const orphans: WireBlock[] = [];
  for (const [at, turn] of turns.entries()) {
    if (resultsOf(turn).length === 0) continue;
    const before = turns[at - 1];
    const calls = before?.role === 'assistant' ? callIdsOf(before) : undefined;
    for (const block of resultsOf(turn)) if (calls?.has(textOf(block, 'tool_use_id')) !== true) orphans.push(block);
  }
  return orphans;
}

const resultsHaveCalls: ClaudeRule = {
  id: 'ANT-PAIR-2',
  title: 'Every result answers a call of the message before.',
  reference: 'https://github.com/anthropics/claude-code/issues/18947',
  kind: 'rejection',
  check: (body) =>
    orphanResults(body).map((block) =>
      finding(
        block.path,
        `${block.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textOf(block, 'tool_use_id')}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      ),
    ),
  repair: (body) => {
    const orphans = new Set(orphanResults(body).map((block) => block.value));
    return withoutEmptyMessages(withoutBlocks(body, (block) => orphans.has(block.value)));
  },
};

const callsAreLast: ClaudeRule = {
  id: 'ANT-PAIR-3',
  title: 'Nothing that is said or thought stands behind a call in its message.',
  reference: 'https://github.com/anomalyco/opencode/issues/5750',
  kind: 'rejection',
  check: (body) =>
    turnsOf(body)
      .filter((turn) => turn.role === 'assistant' && callsOf(turn).length > 0)
      .flatMap((turn) => {
        const said = turn.blocks.findLastIndex((block) => block.type === 'text' || isReasoning(block));
        const early = turn.blocks.slice(0, Math.max(said, 0)).filter(isCall);
        const [first] = early;
        return first === undefined
          ? []
          : [
              withoutAnswer(
                turn,
                early.map((call) => textOf(call, 'id')),
                first,
              ),
            ];
      }),
};

const oneResultPerCall: ClaudeRule = {
  id: 'ANT-PAIR-4',
  title: 'A call has exactly one result.',
  reference: 'https://github.com/HKUDS/nanobot/pull/4444',
  kind: 'rejection',
  check: (body) =>
    turnsOf(body).flatMap((turn) => {
      if (resultsOf(turn).length < 2) return [];
      const seen = new Set<string>();
      return resultsOf(turn).flatMap((block) => {
        const id = textOf(block, 'tool_use_id');
        if (!seen.has(id)) {
          seen.add(id);
          return [];
        }
        return [
          finding(
            block.path,
            `${block.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
          ),
        ];
      });
    }),
};

const uniqueIds: ClaudeRule = {
  id: 'ANT-PAIR-5',
  title: 'No two calls of a request share an id.',
  reference: 'https://github.com/BerriAI/litellm/issues/23510',
  kind: 'rejection',
  check: (body) => {
    const seen = new Set<string>();
    return turnsOf(body)
      .flatMap(callsOf)
      .flatMap((block) => {
        const id = textOf(block, 'id');
        if (seen.has(id)) return [finding(block.path, `${block.path}: \`tool_use\` ids must be unique`)];
        seen.add(id);
        return [];
      });
  },
};

const ID_PATTERN = '^[a-zA-Z0-9_-]+$';
const PLAIN_ID = new RegExp(ID_PATTERN);

/** The id of a call, on the call or on its result; null for anything else. */
function idOf(block: WireBlock): string | null {
  if (isCall(block)) return textOf(block, 'id');
  return isResult(block) ? textOf(block, 'tool_use_id') : null;
}

const plainIds: ClaudeRule = {
  id: 'ANT-PAIR-6',
  title: 'The id of a call consists of letters, digits, underscores and hyphens, on the call and on its result.',
  reference: 'https://github.com/maximhq/bifrost/issues/5097',
  kind: 'rejection',
  check: (body) =>
    allBlocksOf(body)
      .filter((block) => !PLAIN_ID.test(idOf(block) ?? 'none'))
      .map((block) => {
        const path = `${block.path}.${block.type}.${isCall(block) ? 'id' : 'tool_use_id'}`;
        return finding(path, `${path}: String should match pattern '${ID_PATTERN}'`);
      }),
};

/** Calls of the provider's own tools and their results, in order. */
const serverBlocksOf = memoized((body: Body): readonly WireBlock[] =>
  turnsOf(body).flatMap(({ blocks }) => blocks.filter((block) => isServerCall(block) || isServerResult(block))),
);

/** The provider's own calls that have no result in the whole request. */
export function openServerCalls(body: Body): readonly WireBlock[] {
  const blocks = serverBlocksOf(body);
  const answered = new Set(blocks.filter(isServerResult).map((block) => textOf(block, 'tool_use_id')));
  return blocks.filter((block) => isServerCall(block) && !answered.has(textOf(block, 'id')));
}

const serverResultsHaveCalls: ClaudeRule = {
  id: 'ANT-PAIR-7',
  title: "The result of a provider's own tool stands behind the call that it answers.",
  reference: 'https://github.com/anthropics/claude-code/issues/64383',
  kind: 'rejection',
  check: (body) => {
    const calls = new Set<string>();
    return serverBlocksOf(body).flatMap((block) => {
      if (isServerCall(block)) calls.add(textOf(block, 'id'));
      if (!isServerResult(block) || calls.has(textOf(block, 'tool_use_id'))) return [];
      return [
        finding(
          block.path,
          `${block.path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${textOf(block, 'tool_use_id')}. ` +
            `Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
        ),
      ];
    });
  },
};

/** Whether the provider is to go on with this call: nothing came after it but results, of its own calls too. */
function isPending(block: WireBlock, turns: readonly WireTurn[]): boolean {
  const at = turns.findIndex(({ blocks }) => blocks.some(({ value }) => value === block.value));
  if (turns[at]?.role !== 'assistant') return false;
  const later = turns.slice(at + 1);
  const isNext = later.length === 0 || (later.length === 1 && later[0]?.role === 'user');
  return isNext ? later.every(({ blocks }) => blocks.every(isResult)) : isRunning(textOf(block, 'id'), later);
}

const serverCallsArePending: ClaudeRule = {
  id: 'ANT-PAIR-8',
  title:
    "A call of a provider's own tool without a result is the last thing that happened, but for results and for calls that it made itself.",
  reference: DOCS.toolTroubles,
  kind: 'rejection',
  check: (body) =>
    openServerCalls(body)
      .filter((block) => !isPending(block, spokenTurns(body)))
      .map((block) => {
        const name = textOf(block, 'name');
        return finding(
          block.path,
          `${block.path}: \`${name}\` tool use with id \`${textOf(block, 'id')}\` was found without a corresponding ` +
            `\`${name}_tool_result\` block`,
        );
      }),
};

export const pairingRules: readonly ClaudeRule[] = [
  resultsHaveCalls,
  callsAreAnswered,
  callsAreLast,
  oneResultPerCall,
  uniqueIds,
  plainIds,
  serverResultsHaveCalls,
  serverCallsArePending,
];
