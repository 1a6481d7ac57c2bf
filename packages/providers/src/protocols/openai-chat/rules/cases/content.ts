import { groq } from '../../../../deployments/groq.ts';
import { mistral } from '../../../../deployments/mistral.ts';
import { openai } from '../../../../deployments/openai.ts';
import { serverWith } from '../../testing.ts';
import type { Case } from './case.ts';
import { ask, call, calling, chat, result, say, signed } from './case.ts';

export const CONTENT_CASES: readonly Case[] = [
  {
    rule: 'OAC-KEY-1',
    server: groq,
    passes: chat(ask, { ...say, reasoning: 'Hm.' }, ask),
    fails: chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
    says: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  },
  {
    rule: 'OAC-KEY-1',
    server: serverWith({ dialect: 'cerebras', reasoning: 'reasoning', unknownKeys: 'rejected' }),
    passes: chat(ask, { ...say, reasoning: 'Hm.' }, ask),
    fails: chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
    says: "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
  },
  {
    rule: 'OAC-KEY-1',
    server: mistral,
    passes: chat(ask, say, ask),
    fails: chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
    says: 'Extra inputs are not permitted',
    status: 422,
  },
  {
    rule: 'OAC-KEY-1',
    server: openai,
    passes: chat(ask, { ...say, refusal: null }, ask),
    fails: chat(ask, { ...say, reasoning_details: [] }, ask),
    says: "Additional properties are not allowed ('reasoning_details'",
  },
  {
    rule: 'OAC-KEY-2',
    server: openai,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling([signed]), result('a')),
    says: "Additional properties are not allowed ('extra_content' was unexpected)",
  },
  {
    rule: 'OAC-KEY-2',
    server: mistral,
    passes: chat(ask, calling([call('abcdefghi')]), result('abcdefghi')),
    fails: chat(ask, calling([{ ...signed, id: 'abcdefghi' }]), result('abcdefghi')),
    says: 'Extra inputs',
    status: 422,
  },
  {
    rule: 'OAC-CONTENT-1',
    server: openai,
    passes: chat(ask, say, ask),
    fails: chat(ask, { role: 'assistant', content: null }, ask),
    says: "Invalid value for 'content': expected a string, got null.",
  },
  {
    rule: 'OAC-CONTENT-1',
    server: openai,
    passes: chat(ask),
    fails: chat({ role: 'user', content: null }),
    says: "Invalid value for 'content'",
    repairs: false,
  },
  {
    rule: 'OAC-CONTENT-1',
    server: mistral,
    passes: chat(ask, say, ask),
    fails: chat(ask, { role: 'assistant', content: '' }, ask),
    says: 'Assistant message must have either content or tool_calls, but not none.',
  },
  {
    rule: 'OAC-CONTENT-2',
    server: serverWith({ emptyContent: 'rejected' }),
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling([call()], { content: '' }), result()),
    says: 'messages: text content blocks must be non-empty',
  },
];
