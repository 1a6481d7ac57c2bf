import { deepseek } from '../../../../deployments/deepseek.ts';
import { groq } from '../../../../deployments/groq.ts';
import { moonshot } from '../../../../deployments/moonshot.ts';
import { openai } from '../../../../deployments/openai.ts';
import { serverWith } from '../../testing.ts';
import type { Case } from './case.ts';
import { ask, chat, parts, qwen, say } from './case.ts';

export const LOSSES_CASES: readonly Case[] = [
  {
    rule: 'OAC-LOSS-1',
    server: serverWith({ reasoning: 'reasoning' }),
    passes: chat(ask, { ...say, reasoning: 'Hm.' }, ask),
    fails: chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
    says: 'This server does not read reasoning_content.',
    repairs: false,
  },
  {
    rule: 'OAC-LOSS-2',
    server: serverWith({ reasoning: 'reasoning' }),
    passes: chat(ask, { ...say, reasoning: 'Hm.' }, ask),
    fails: chat(ask, { ...say, reasoning: 'Hm.', reasoning_content: 'Hm.' }, ask),
    says: 'The reasoning stands in two fields.',
    repairs: false,
  },
  {
    rule: 'OAC-LOSS-3',
    server: groq,
    passes: chat(ask, say, ask),
    fails: chat(ask, { role: 'assistant', content: '<think>Hm.</think>Rain.' }, ask),
    says: 'Reasoning stands in the text.',
  },
  {
    rule: 'OAC-LOSS-4',
    server: openai,
    passes: chat(ask, say, ask),
    fails: chat(ask, parts({ type: 'text', text: 'Rain.' }), ask),
    says: 'Assistant text is a list of parts.',
  },
  {
    rule: 'OAC-LOSS-5',
    server: deepseek,
    passes: { ...chat(ask), temperature: 0, thinking: { type: 'disabled' } },
    fails: { ...chat(ask), temperature: 0 },
    says: 'temperature has no effect',
    repairs: false,
  },
  {
    rule: 'OAC-LOSS-6',
    server: moonshot,
    model: 'kimi-k2.6',
    passes: { ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask), thinking: { type: 'enabled', keep: 'all' } },
    fails: { ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask), thinking: { type: 'enabled' } },
    says: 'Ignored without thinking.keep.',
    repairs: false,
  },
  {
    rule: 'OAC-LOSS-6',
    server: qwen,
    passes: {
      ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
      stream: true,
      enable_thinking: true,
      preserve_thinking: true,
    },
    fails: { ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask), stream: true, enable_thinking: true },
    says: 'Ignored without preserve_thinking.',
    repairs: false,
  },
  {
    rule: 'OAC-LOSS-6',
    server: serverWith({
      reasoning: 'reasoning_content',
      keepsReasoning: 'thinking.clear_thinking',
      thinking: 'thinking_type',
    }),
    passes: {
      ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask),
      thinking: { type: 'enabled', clear_thinking: false },
    },
    fails: { ...chat(ask, { ...say, reasoning_content: 'Hm.' }, ask), thinking: { type: 'enabled' } },
    says: 'Ignored without',
    repairs: false,
  },
];
