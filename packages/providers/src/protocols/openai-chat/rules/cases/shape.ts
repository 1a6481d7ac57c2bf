import { deepseek } from '../../../../deployments/deepseek.ts';
import { mistral } from '../../../../deployments/mistral.ts';
import { openai } from '../../../../deployments/openai.ts';
import type { Case } from './case.ts';
import { ask, call, calling, chat, result, tools } from './case.ts';

export const SHAPE_CASES: readonly Case[] = [
  {
    rule: 'OAC-SHAPE-1',
    server: openai,
    passes: chat(ask),
    fails: { messages: ['Weather?'] },
    says: "Invalid type for 'messages[0]'",
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-1',
    server: openai,
    passes: chat(ask),
    fails: chat(),
    says: "Invalid 'messages': empty array",
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-1',
    server: deepseek,
    passes: chat(ask),
    fails: chat({ role: 'developer', content: 'x' }),
    says: 'Failed to deserialize',
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-2',
    server: deepseek,
    passes: chat({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
    fails: chat({ role: 'user', content: [{ type: 'file' }] }),
    says: 'Failed to deserialize',
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-6',
    server: openai,
    passes: chat({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
    fails: chat({ role: 'user', content: { type: 'text', text: 'x' } }),
    says: "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object",
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-6',
    server: deepseek,
    passes: chat(ask),
    fails: chat(ask, { role: 'assistant', content: 7 }),
    says: 'Failed to deserialize the JSON body into the target type: messages[1]: invalid type: number',
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-6',
    server: mistral,
    passes: chat(ask),
    fails: chat({ role: 'user', content: { text: 'x' } }),
    says: 'Input should be a valid string',
    status: 422,
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-3',
    server: openai,
    passes: chat(ask, calling(), result()),
    fails: chat(ask, calling([call('call_1', { function: { name: 'f', arguments: {} } })]), result()),
    says: 'Invalid type for',
  },
  {
    rule: 'OAC-SHAPE-4',
    server: openai,
    passes: { ...chat(ask), tools },
    fails: { ...chat(ask), tools: [{ type: 'function', function: { name: 'files.read' } }] },
    says: "Invalid 'tools[0].function.name'",
    repairs: false,
  },
  {
    rule: 'OAC-SHAPE-5',
    server: deepseek,
    passes: chat({ role: 'user', content: 'Whole: 👍' }),
    fails: chat({ role: 'user', content: 'Half: \ud83d' }),
    says: 'Failed to parse the request body as JSON',
  },
];
