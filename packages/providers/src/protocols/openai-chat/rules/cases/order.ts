import { mistral } from '../../../../deployments/mistral.ts';
import { ollama } from '../../../../deployments/ollama.ts';
import { serverWith } from '../../testing.ts';
import type { Case } from './case.ts';
import { ask, call, calling, chat, llamacpp, result, say } from './case.ts';

export const ORDER_CASES: readonly Case[] = [
  {
    rule: 'OAC-ORDER-1',
    server: mistral,
    passes: chat(ask, calling([call('abcdefghi')]), result('abcdefghi'), say, ask),
    fails: chat(ask, calling([call('abcdefghi')]), result('abcdefghi'), ask),
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: 'OAC-ORDER-2',
    server: serverWith({ roleOrder: 'alternating' }),
    passes: chat({ role: 'system', content: 'x' }, ask, say, ask),
    fails: chat(ask, ask, say, ask),
    says: 'After the (optional) system message(s)',
  },
  {
    rule: 'OAC-ORDER-2',
    server: serverWith({ roleOrder: 'alternating' }),
    passes: chat(ask, say, ask),
    fails: chat(ask, say, { role: 'system', content: 'x' }, ask),
    says: 'After the (optional)',
    repairs: false,
  },
  {
    rule: 'OAC-ORDER-3',
    server: mistral,
    passes: chat(ask, say, ask),
    fails: chat(ask, say),
    says: 'Expected last role User or Tool',
  },
  {
    rule: 'OAC-ORDER-3',
    server: llamacpp,
    passes: { ...chat(ask, say), chat_template_kwargs: { enable_thinking: false } },
    fails: { ...chat(ask, say), chat_template_kwargs: { enable_thinking: true } },
    says: 'Assistant response prefill is incompatible with enable_thinking.',
  },
  {
    rule: 'OAC-ORDER-4',
    server: ollama,
    passes: chat(ask, say),
    fails: chat(ask, say, say, say),
    says: 'Cannot have 2 or more assistant messages at the end of the list.',
  },
];
