import { isPlainObject, memoized } from '@bough/core';
import type { Body, WireTurn } from '../wire.ts';
import { isServerResult, messagesOf, turnsOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

// Messages of the role `system` in the middle of a conversation.

const knownRole: ClaudeRule = {
  id: 'ANT-SYS-1',
  title: 'System messages go only to models that take them.',
  reference: DOCS.system,
  kind: 'rejection',
  check: (body, { model, traits }) => {
    if (traits.systemMessages || !model.known) return [];
    return messagesOf(body)
      .filter(({ role }) => role === 'system')
      .map(({ index }) => finding(`messages.${index}`, "role 'system' is not supported on this model"));
  },
};

/** Whether a system message may stand between these two turns. */
function isAllowedBetween(before: WireTurn | undefined, after: WireTurn | undefined): boolean {
  const last = before?.blocks.at(-1);
  const followsUser = before?.role === 'user';
  const followsServer = before?.role === 'assistant' && last !== undefined && isServerResult(last);
  return (followsUser || followsServer) && (after === undefined || after.role === 'assistant');
}

const systemPlace: ClaudeRule = {
  id: 'ANT-SYS-2',
  title:
    'A system message that says something follows the user, or a result of a provider’s own tool, and precedes the assistant or the end.',
  reference: DOCS.system,
  kind: 'rejection',
  check: (body) => {
    const turns = turnsOf(body);
    return turns.flatMap((turn, at) => {
      const [first] = turn.messages;
      if (turn.role !== 'system' || first === undefined || isAllowedBetween(turns[at - 1], turns[at + 1])) return [];
      const path = `messages.${first.index}`;
      return [
        finding(
          path,
          `${path}: a \`system\` message must follow a \`user\` message or a server tool result, and must be last or be ` +
            'followed by an `assistant` message',
        ),
      ];
    });
  },
};

const SYSTEM_BLOCKS: ReadonlySet<string> = new Set(['text', 'tool_addition', 'tool_removal']);
const LIFETIMES: ReadonlySet<unknown> = new Set(['next_user_message', 'never', null, undefined]);

/** What is wrong with one message beyond its blocks: keys that only some messages may carry, blocks that do not fit. */
const problemsOf = memoized((message: Body): readonly (readonly [path: string, problem: string])[] => {
  const { role, clear_at: clearAt, output_config: output, content } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const types = blocks.map((block) => (isPlainObject(block) ? String(block['type']) : ''));
  if (role !== 'system') {
    const extra = ['clear_at', 'output_config'].filter((key) => message[key] !== undefined);
    return extra.map((key) => [`.${key}`, 'Extra inputs are not permitted'] as const);
  }
  const foreign = types.flatMap((type, at) =>
    SYSTEM_BLOCKS.has(type)
      ? []
      : [
          [
            `.content.${at}`,
            `Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'tool_addition', ` +
              "'tool_removal'",
          ] as const,
        ],
  );
  if (!LIFETIMES.has(clearAt)) return [...foreign, ['.clear_at', "Input should be 'next_user_message' or 'never'"]];
  const isShort = clearAt === 'next_user_message';
  return isShort && (output !== undefined || types.some((type) => type !== 'text'))
    ? [...foreign, ['.clear_at', 'a message with `clear_at` may hold text only']]
    : foreign;
});

const systemShape: ClaudeRule = {
  id: 'ANT-SYS-3',
  title: 'A system message holds texts and tool changes; one that counts for a single turn holds text alone.',
  reference: DOCS.betaTypes,
  kind: 'rejection',
  check: (body) => {
    const messages: unknown = body['messages'];
    const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
    return list.flatMap((message, index) =>
      (isPlainObject(message) ? problemsOf(message) : []).map(([place, problem]) => {
        const path = `messages.${index}${place}`;
        return finding(path, `${path}: ${problem}`);
      }),
    );
  },
};

export const systemRules: readonly ClaudeRule[] = [knownRole, systemPlace, systemShape];
