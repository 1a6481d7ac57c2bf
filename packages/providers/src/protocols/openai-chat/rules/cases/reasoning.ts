import { deepseek } from '../../../../deployments/deepseek.ts';
import { mistral } from '../../../../deployments/mistral.ts';
import { moonshot } from '../../../../deployments/moonshot.ts';
import { openrouter } from '../../../../deployments/openrouter.ts';
import { serverWith } from '../../testing.ts';
import type { Case } from './case.ts';
import { ask, call, calling, chat, details, parts, result, say, signed, thought, tools } from './case.ts';

export const REASONING_CASES: readonly Case[] = [
  {
    rule: 'OAC-REASON-1',
    server: deepseek,
    passes: { ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask), tools },
    fails: { ...chat(ask, say, ask), tools },
    says: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  },
  {
    rule: 'OAC-REASON-1',
    server: deepseek,
    passes: chat(ask, say, ask),
    fails: { ...chat(ask, { ...say, reasoning_content: '' }, ask), tools },
    says: 'The `reasoning_content`',
  },
  {
    rule: 'OAC-REASON-1',
    server: moonshot,
    model: 'kimi-k2.5',
    passes: chat(ask, say, calling([call()], { reasoning_content: '' }), result()),
    fails: chat(ask, calling(), result()),
    says: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  },
  {
    rule: 'OAC-REASON-1',
    server: moonshot,
    model: 'kimi-k2.6',
    passes: chat(ask, { ...say, reasoning_content: '' }, ask),
    fails: chat(ask, say, ask),
    says: 'preserved thinking (thinking.keep=all) requires reasoning_content on every assistant message, but assistant message at index 1',
  },
  {
    rule: 'OAC-REASON-1',
    server: openrouter,
    model: 'google/gemini-3.5-flash',
    passes: chat(ask, calling([call()], { reasoning_details: [{ type: 'reasoning.text', text: 'x' }] }), result()),
    fails: chat(ask, calling(), result()),
    says: 'Gemini models require OpenRouter reasoning details',
    repairs: false,
  },
  {
    rule: 'OAC-REASON-2',
    server: mistral,
    model: 'ministral-8b-latest',
    passes: chat(ask, say, ask),
    fails: chat(ask, parts(thought, { type: 'text', text: 'x' }), ask),
    says: 'Reasoning input is not enabled for this model',
  },
  {
    rule: 'OAC-REASON-3',
    server: mistral,
    passes: chat(ask, parts(thought, { type: 'text', text: 'x' }), ask),
    fails: chat(ask, parts(thought, thought, { type: 'text', text: 'x' }), ask),
    says: 'Assistant message must contain at most one thinking chunk.',
  },
  {
    rule: 'OAC-REASON-4',
    server: serverWith({ callSignatures: 'demanded' }),
    passes: chat(ask, calling([signed]), result('a')),
    fails: chat(ask, calling(), result()),
    says: 'Function call is missing a thought_signature',
    repairs: false,
  },
  {
    rule: 'OAC-DETAIL-1',
    server: openrouter,
    passes: chat(ask, details({ type: 'reasoning.text', text: 'x', signature: null }), ask),
    fails: chat(ask, details({ type: 'reasoning.text', text: 'x', signature: '' }), ask),
    says: 'Invalid reasoning_details',
  },
  {
    rule: 'OAC-DETAIL-2',
    server: openrouter,
    passes: chat(
      ask,
      details({ type: 'reasoning.text', id: 'rs_1' }, { type: 'reasoning.encrypted', id: 'rs_1', data: 'x' }),
      ask,
    ),
    fails: chat(ask, details({ type: 'reasoning.text', id: 'rs_1' }, { type: 'reasoning.text', id: 'rs_1' }), ask),
    says: 'Duplicate item found with id rs_1.',
  },
  {
    rule: 'OAC-DETAIL-3',
    server: openrouter,
    model: 'openai/gpt-5.5',
    passes: chat(ask, details({ type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' }), ask),
    fails: chat(
      ask,
      details({ type: 'reasoning.text', text: 'x', signature: 's', format: 'anthropic-claude-v1' }),
      ask,
    ),
    says: 'Provider returned error',
  },
];
