import type { Json } from '../response/json.ts';
import { isThinking } from '../request/thinking.ts';
import type { ChatContext, ChatRule, Placed } from './context.ts';
import { callsOf, finding, mapMessages, messagesOf, plainTextOf } from './context.ts';

/** Which roles Mistral accepts after which. */
const MISTRAL_NEXT: Readonly<Record<string, readonly string[]>> = {
  system: ['system', 'user', 'assistant'],
  user: ['user', 'assistant', 'system'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['tool', 'assistant'],
};
const BRIDGE = { role: 'assistant', content: '(The turn ended here without an answer.)' };
const GO_ON = { role: 'user', content: 'Please continue.' };

export const mistralOrder: ChatRule = {
  id: 'OAC-ORDER-1',
  title: 'An assistant message stands between tool results and the next user message.',
  reference: 'https://github.com/mistralai/mistral-common/issues/169',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.roleOrder === 'mistral'
      ? messagesOf(body).flatMap(({ index, role }, at, all) => {
          const before = all[at - 1]?.role;
          if (before === undefined || (MISTRAL_NEXT[before] ?? []).includes(role)) return [];
          const text = `Unexpected role '${role}' after role '${before}'`;
          return [finding(`messages.${index}.role`, text, { errorCode: '3230' })];
        })
      : [],
  repair: (body) =>
    mapMessages(body, (placed, all) =>
      placed.role === 'user' && all[all.indexOf(placed) - 1]?.role === 'tool'
        ? [BRIDGE, placed.message]
        : placed.message,
    ),
};

export const rolesAlternate: ChatRule = {
  id: 'OAC-ORDER-2',
  title: 'Behind the system prompt, user and assistant messages alternate.',
  reference: 'https://github.com/crmne/ruby_llm/tree/main/spec/fixtures/vcr_cassettes',
  kind: 'rejection',
  check: (body, { quirks }) => {
    if (quirks.roleOrder !== 'alternating') return [];
    const wrong = messagesOf(body).find((placed, at, all) => breaksAlternation(placed, all[at - 1]));
    const text =
      'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).';
    return wrong ? [finding(`messages.${wrong.index}.role`, text)] : [];
  },
  repair: (body) => {
    const joined: Json[] = [];
    for (const { message } of messagesOf(body)) {
      const before = joined.at(-1);
      const both = before && joinText(before, message);
      if (both) joined[joined.length - 1] = both;
      else joined.push(message);
    }
    return { ...body, messages: joined };
  },
};

function breaksAlternation(placed: Placed, before: Placed | undefined): boolean {
  const asks = (role: string): boolean => role === 'user' || role === 'tool';
  if (before === undefined || before.role === 'system') return placed.role === 'assistant';
  if (placed.role === 'system') return true;
  return asks(placed.role) === asks(before.role) && !(placed.role === 'tool' && before.role === 'tool');
}

/** Two messages of the same role that contain only text, as one; null for any others. */
function joinText(before: Json, after: Json): Json | null {
  const [first, second] = [plainTextOf(before), plainTextOf(after)];
  if (before['role'] !== after['role'] || first === null || second === null) return null;
  return { ...after, content: `${first}\n\n${second}` };
}

export const endsWithAQuestion: ChatRule = {
  id: 'OAC-ORDER-3',
  title: 'The conversation does not end with an assistant message.',
  reference: 'https://github.com/ggml-org/llama.cpp/issues/20861',
  kind: 'rejection',
  check: (body, context) => {
    const last = messagesOf(body).at(-1);
    if (context.quirks.lastMessage !== 'not_assistant' || last?.role !== 'assistant') return [];
    // Unanswered calls are another rule's business, and a marked prefix is allowed there.
    if (callsOf(last.message).length > 0 || last.message['prefix'] === true) return [];
    const text = endsWrong(body, context);
    return text === null
      ? []
      : [
          finding(
            `messages.${last.index}.role`,
            text,
            context.quirks.dialect === 'mistral' ? { errorCode: '3230' } : {},
          ),
        ];
  },
  repair: (body) => ({ ...body, messages: [...messagesOf(body).map(({ message }) => message), GO_ON] }),
};

function endsWrong(body: Json, { quirks, model }: ChatContext): string | null {
  if (quirks.dialect === 'mistral') {
    return 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant';
  }
  return isThinking(body, quirks, model) ? 'Assistant response prefill is incompatible with enable_thinking.' : null;
}

export const oneAssistantAtTheEnd: ChatRule = {
  id: 'OAC-ORDER-4',
  title: 'At most one assistant message stands at the end.',
  reference: 'https://github.com/NousResearch/hermes-agent/pull/80265',
  kind: 'rejection',
  check: (body, { quirks }) => {
    const [before, last] = messagesOf(body).slice(-2);
    if (quirks.lastMessage === 'any' || before?.role !== 'assistant' || last?.role !== 'assistant') return [];
    const text = 'Cannot have 2 or more assistant messages at the end of the list.';
    return [finding(`messages.${last.index}.role`, text)];
  },
  repair: (body) => {
    const messages = messagesOf(body).map(({ message }) => message);
    for (let at = messages.length - 1; at > 0; at -= 1) {
      const [before, after] = [messages[at - 1], messages[at]];
      const both = before && after && after['role'] === 'assistant' ? joinText(before, after) : null;
      if (!both) break;
      messages.splice(at - 1, 2, both);
    }
    return { ...body, messages };
  },
};

export const ORDER_RULES: readonly ChatRule[] = [mistralOrder, rolesAlternate, oneAssistantAtTheEnd, endsWithAQuestion];
