import { memoized, stableDeepEqual } from '@bough/core';
import type { Body, WireTurn } from '../wire.ts';
import { isReasoning, messagesOf, openLoop, textOf, thinkingMode, tokenOf, turnsOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';
import { without } from './repair.ts';

// The API answers these requests with 200, but something is lost.

const tokensOf = memoized((turn: WireTurn): readonly string[] => turn.blocks.filter(isReasoning).map(tokenOf));

const reasoningIsThere: ClaudeRule = {
  id: 'ANT-LOSS-1',
  title: 'Every thought that was to go back is in the request, in its order, also where its text is empty.',
  reference: 'https://github.com/BerriAI/litellm/issues/42550',
  kind: 'silent',
  check: (body, { expected }) => {
    if (expected === undefined) return [];
    const sent = turnsOf(body).flatMap(tokensOf);
    let at = 0;
    const lost = expected.reasoning.filter((token) => {
      const found = sent.indexOf(token, at);
      if (found >= 0) at = found + 1;
      return found < 0;
    });
    return lost.length === 0
      ? []
      : [finding('messages', `${lost.length} signed thinking block(s) did not reach the request.`, 200)];
  },
};

const TAGGED = /^\s*<(?:think|thinking|reasoning)>/i;

const reasoningIsNotText: ClaudeRule = {
  id: 'ANT-LOSS-2',
  title: 'No thought goes out as plain text: the model reads it as something that it said.',
  reference: 'https://github.com/earendil-works/pi/pull/4588',
  kind: 'silent',
  check: (body, { expected }) => {
    const thoughts = new Set(expected?.thoughts);
    return turnsOf(body)
      .filter((turn) => turn.role === 'assistant')
      .flatMap(spokenTexts)
      .filter(({ text, tagged }) => tagged || (text !== '' && thoughts.has(text)))
      .map(({ path }) => finding(path, `${path}: a thought is sent as text.`, 200));
  },
};

const spokenTexts = memoized((turn: WireTurn) =>
  turn.blocks
    .filter((block) => block.type === 'text')
    .map((block) => ({
      path: block.path,
      text: textOf(block, 'text'),
      tagged: TAGGED.test(textOf(block, 'text')),
    })),
);

const modeIsStable: ClaudeRule = {
  id: 'ANT-LOSS-3',
  title: 'Thinking is not switched off in the middle of a tool loop that began with it.',
  reference: DOCS.thinking,
  kind: 'silent',
  check: (body, { traits }) =>
    thinkingMode(body, traits) === 'off' && openLoop(body).some((turn) => turn.blocks.some(isReasoning))
      ? [
          finding(
            'thinking',
            'The running tool loop began with thinking; switched off now, its thoughts are not read.',
            200,
          ),
        ]
      : [],
};

/**
 * What thinking and cache are bound to: everything before them, block by block, because neighbours of the same role are
 * one turn.
 */
function prefixParts(body: Body): readonly { readonly path: string; readonly value: unknown }[] {
  return [
    { path: 'tools', value: body['tools'] ?? [] },
    { path: 'system', value: body['system'] ?? '' },
    ...messagesOf(body).flatMap(({ role, blocks }) =>
      blocks.map(({ path, value }) => ({ path, value: [role, unmarked(value)] })),
    ),
  ];
}

/** A cache mark moves from request to request and is no part of what was said. */
const unmarked = memoized((block: Body): Body =>
  'cache_control' in block ? without(block, ['cache_control']) : block,
);

const prefixIsStable: ClaudeRule = {
  id: 'ANT-LOSS-4',
  title: 'The request repeats the one before it and adds to its end.',
  reference: DOCS.preserved,
  kind: 'silent',
  check: (body, { previous }) => {
    if (previous === undefined) return [];
    const now = prefixParts(body);
    const changed = prefixParts(previous).find(({ value }, at) => !stableDeepEqual(value, now[at]?.value));
    if (changed === undefined) return [];
    return [finding(changed.path, `${changed.path} differs from the request before: the cache restarts here.`, 200)];
  },
};

export const lossRules: readonly ClaudeRule[] = [reasoningIsThere, reasoningIsNotText, modeIsStable, prefixIsStable];
