import { mistral } from '../../../../deployments/mistral.ts';
import { openai } from '../../../../deployments/openai.ts';
import { serverWith } from '../../testing.ts';
import type { Case } from './case.ts';
import { ask, call, calling, chat, qwen, result, say } from './case.ts';

export const PAIRING_CASES: readonly Case[] = [
  {
    rule: 'OAC-PAIR-1',
    server: openai,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling(), result(), result()),
    says: 'An assistant message with',
  },
  {
    rule: 'OAC-PAIR-2',
    server: openai,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, result()),
    says: "Invalid parameter: messages with role 'tool' must be a response",
  },
  {
    rule: 'OAC-PAIR-2',
    server: mistral,
    passes: chat(ask, calling([call('abcdefghi')]), result('abcdefghi')),
    fails: chat(ask, result('abcdefghi')),
    says: "Unexpected role 'tool' after role 'user'",
  },
  {
    rule: 'OAC-PAIR-3',
    server: openai,
    passes: chat(ask, calling([call('a'), call('b')]), result('b'), result('a')),
    fails: chat(ask, calling([call('a'), call('b')]), result('a'), ask),
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
  },
  {
    rule: 'OAC-PAIR-3',
    server: openai,
    passes: chat(ask, calling(), result(), say, ask),
    fails: chat(ask, calling(), say, ask),
    says: 'An assistant message with',
  },
  {
    rule: 'OAC-PAIR-3',
    server: serverWith({ dialect: 'deepseek' }),
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling()),
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages",
  },
  {
    rule: 'OAC-PAIR-3',
    server: qwen,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling()),
    says: '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls"',
  },
  {
    rule: 'OAC-PAIR-3',
    server: serverWith({ dialect: 'moonshot' }),
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling()),
    says: 'Invalid request: an assistant message',
  },
  {
    rule: 'OAC-PAIR-3',
    server: mistral,
    passes: chat(ask, calling([call('abcdefghi')]), result('abcdefghi')),
    fails: chat(ask, calling([call('abcdefghi')])),
    says: 'Not the same number of function calls and responses',
  },
  {
    rule: 'OAC-ID-1',
    server: mistral,
    passes: chat(ask, calling([call('abcdefghi')]), result('abcdefghi')),
    fails: chat(ask, calling(), result()),
    says: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  },
  {
    rule: 'OAC-ID-1',
    server: openai,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling([call('x'.repeat(41))]), result('x'.repeat(41))),
    says: "Invalid 'messages[1].tool_calls[0].id': string too long.",
  },
  {
    rule: 'OAC-ID-1',
    server: serverWith({ toolIds: 'word64' }),
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling([call('functions.f:0')]), result('functions.f:0')),
    says: 'messages.1.tool_calls.0.id: String should match pattern',
  },
];
