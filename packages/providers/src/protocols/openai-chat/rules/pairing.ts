import type { Dialect } from '../traits.ts';
import type { Json } from '../response/json.ts';
import { stringAt } from '../response/json.ts';
import { acceptsToolId, foreignToolId } from '../request/tool-ids.ts';
import type { ChatRule, Placed } from './context.ts';
import { assistants, callsOf, finding, mapMessages, messagesOf } from './context.ts';

const NO_RESULT = 'This tool call was not executed: it has no result.';

/** Each tool message with the assistant message that it may answer: the one that its run of results follows. */
function withCaller(all: readonly Placed[]): readonly { readonly result: Placed; readonly caller: Placed | null }[] {
  let caller: Placed | null = null;
  return all.flatMap((placed) => {
    if (placed.role === 'tool') return [{ result: placed, caller }];
    caller = placed.role === 'assistant' ? placed : null;
    return [];
  });
}

/** The results directly after a message. */
function resultsBehind(all: readonly Placed[], caller: Placed): readonly Placed[] {
  return withCaller(all).flatMap((pair) => (pair.caller === caller ? [pair.result] : []));
}

const idsOf = (message: Json): readonly string[] => callsOf(message).map((call) => stringAt(call, 'id') ?? '');

function missingIds(all: readonly Placed[], caller: Placed): readonly string[] {
  const answered = resultsBehind(all, caller).map(({ message }) => stringAt(message, 'tool_call_id') ?? '');
  return idsOf(caller.message).filter((id) => !answered.includes(id));
}

export const resultsAreUnique: ChatRule = {
  id: 'OAC-PAIR-1',
  title: 'A tool call is answered once.',
  reference: 'https://github.com/mistralai/client-ts/issues/106',
  kind: 'rejection',
  check: (body, { quirks }) =>
    duplicates(messagesOf(body)).map(({ index }) =>
      finding(`messages.${index}`, unpaired(quirks.dialect, index, []), pairingCode(quirks.dialect)),
    ),
  repair: (body) => {
    const second = new Set(duplicates(messagesOf(body)).map(({ index }) => index));
    return mapMessages(body, ({ index, message }) => (second.has(index) ? null : message));
  },
};

function duplicates(all: readonly Placed[]): readonly Placed[] {
  const seen = new Set<string>();
  return withCaller(all).flatMap(({ result, caller }) => {
    const key = `${caller?.index ?? -1}:${stringAt(result.message, 'tool_call_id') ?? ''}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [result];
  });
}

export const resultsAnswerACall: ChatRule = {
  id: 'OAC-PAIR-2',
  title: 'A tool message stands behind the assistant message whose call it answers.',
  reference: 'https://github.com/microsoft/promptflow/pull/3130',
  kind: 'rejection',
  check: (body, { quirks }) => {
    const all = messagesOf(body);
    return orphans(all).map((result) =>
      finding(`messages.${result.index}.role`, orphaned(quirks.dialect, all, result), pairingCode(quirks.dialect)),
    );
  },
  repair: (body) => {
    const lost = new Set(orphans(messagesOf(body)).map(({ index }) => index));
    return mapMessages(body, ({ index, message }) => (lost.has(index) ? null : message));
  },
};

function orphans(all: readonly Placed[]): readonly Placed[] {
  return withCaller(all).flatMap(({ result, caller }) => {
    const id = stringAt(result.message, 'tool_call_id') ?? '';
    return caller !== null && idsOf(caller.message).includes(id) ? [] : [result];
  });
}

function orphaned(dialect: Dialect, all: readonly Placed[], result: Placed): string {
  const before = all[all.indexOf(result) - 1]?.role ?? 'none';
  return dialect === 'mistral'
    ? `Unexpected role 'tool' after role '${before}'`
    : "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
}

export const callsAreAnswered: ChatRule = {
  id: 'OAC-PAIR-3',
  title: 'Every tool call is answered by a tool message directly behind its assistant message.',
  reference: 'https://github.com/aliasrobotics/cai/issues/111',
  kind: 'rejection',
  check: (body, { quirks }) => {
    const all = messagesOf(body);
    return all.flatMap((caller) => {
      const missing = caller.role === 'assistant' ? missingIds(all, caller) : [];
      if (missing.length === 0) return [];
      const next = caller.index + 1;
      return [finding(`messages.${next}.role`, unpaired(quirks.dialect, next, missing), pairingCode(quirks.dialect))];
    });
  },
  repair: (body) => {
    const all = messagesOf(body);
    const behind = new Map<number, readonly Json[]>();
    for (const caller of all.filter(({ role }) => role === 'assistant')) {
      const last = resultsBehind(all, caller).at(-1) ?? caller;
      const added = missingIds(all, caller).map((id) => ({ role: 'tool', tool_call_id: id, content: NO_RESULT }));
      if (added.length > 0) behind.set(last.index, added);
    }
    return mapMessages(body, ({ index, message }) => [message, ...(behind.get(index) ?? [])]);
  },
};

function unpaired(dialect: Dialect, index: number, ids: readonly string[]): string {
  const start =
    "n assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  switch (dialect) {
    case 'mistral':
      return 'Not the same number of function calls and responses';
    case 'deepseek':
      return `A${start} (insufficient tool messages following tool_calls message)`;
    case 'moonshot':
      return `Invalid request: a${start} The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
    case 'dashscope':
      return `<400> InternalError.Algo.InvalidParameter: A${start.replaceAll("'", '"')} The following tool_call_ids did not have response messages: message[${index}].role`;
    default:
      return `A${start} The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  }
}

function pairingCode(dialect: Dialect): { errorCode?: string } {
  return dialect === 'mistral' ? { errorCode: '3230' } : {};
}

export const idsHaveTheirForm: ChatRule = {
  id: 'OAC-ID-1',
  title: 'Tool call ids have the form that the server wants, on call and result alike.',
  reference: 'https://github.com/karthink/gptel/issues/1203',
  kind: 'rejection',
  check: (body, { quirks }) =>
    assistants(body).flatMap(({ index, message }) =>
      idsOf(message).flatMap((id, position) =>
        acceptsToolId(id, quirks.toolIds) ? [] : [badId(quirks.toolIds, index, position, id)],
      ),
    ),
  repair: (body, { quirks }) => {
    const rewrite = (id: unknown): unknown => (typeof id === 'string' ? foreignToolId(id, quirks.toolIds) : id);
    return mapMessages(body, ({ message }) => {
      if (typeof message['tool_call_id'] === 'string') {
        return { ...message, tool_call_id: rewrite(message['tool_call_id']) };
      }
      if (callsOf(message).length === 0) return message;
      return { ...message, tool_calls: callsOf(message).map((call) => ({ ...call, id: rewrite(call['id']) })) };
    });
  },
};

function badId(form: string, index: number, position: number, id: string): ReturnType<typeof finding> {
  const path = `messages.${index}.tool_calls.${position}.id`;
  if (form === 'alnum9') {
    const text = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    return finding(path, text, { errorCode: '3280' });
  }
  if (form === 'max40') {
    const text = `Invalid 'messages[${index}].tool_calls[${position}].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
    return finding(path, text, { errorCode: 'string_above_max_length' });
  }
  return finding(path, `${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
}

export const PAIRING_RULES: readonly ChatRule[] = [
  resultsAreUnique,
  resultsAnswerACall,
  callsAreAnswered,
  idsHaveTheirForm,
];
