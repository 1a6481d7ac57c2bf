import type { CallTarget } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import type { Examples, Json } from './show.ts';
import { blocks, conversation, conversationOf, refusal, spoiling, wholeBody, wire } from './show.ts';
import { readable } from '../readable.ts';
import { CLOCK, Talk, target } from './talk.ts';

// One worked example per protocol: what arrives, what is stored, what goes back, and which error a careless client
// would get.

interface Worked {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** The events that the document shows. */
  readonly pick: (data: Json, event: string) => boolean;
  /** What a careless client does to a reply in a tool loop. */
  readonly spoil: (object: Json) => Json | null;
}

const without =
  (key: string) =>
  (object: Json): Json =>
    Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));

const isNewestThought = (object: Json): boolean =>
  /^(?:thinking|reasoning)$/.test(String(object['type'])) && JSON.stringify(object).includes('I have no clock');

const WORKED: readonly Worked[] = [
  {
    name: 'anthropic',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    pick: (data) => /^content_block_(?:start|delta)$/.test(String(data['type'])),
    spoil: (object) => (isNewestThought(object) ? { ...object, thinking: '' } : object),
  },
  {
    name: 'responses',
    provider: 'openai_responses',
    model: 'gpt-5.5',
    pick: (data) => data['type'] === 'response.output_item.done',
    spoil: (object) => (isNewestThought(object) ? null : object),
  },
  {
    name: 'chat',
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    pick: (data) => JSON.stringify(data).includes('reasoning_content') || JSON.stringify(data).includes('42.'),
    spoil: without('reasoning_content'),
  },
  {
    name: 'gemini',
    provider: 'gemini',
    model: 'gemini-3.8-flash',
    pick: () => true,
    spoil: without('thoughtSignature'),
  },
];

/** Fields that are irrelevant to replay. */
const NOISE = ['created', 'object', 'model', 'modelVersion', 'usageMetadata', 'logprobs', 'sequence_number', 'index'];

export async function protocolExamples(simulator: Simulator): Promise<Examples> {
  const examples: Examples = new Map();
  for (const { name, provider, model, pick, spoil } of WORKED) {
    const to = target(simulator, provider, model, { systemPrompt: 'Be brief.', tools: [CLOCK] });
    const talk = new Talk(simulator).ask('What is 6 × 7?');
    await talk.reply(to);
    const { node, raw } = talk.last();
    examples.set(`${name}/wire`, wire(raw, pick, name === 'anthropic' ? [] : NOISE));
    examples.set(`${name}/stored`, blocks(node));
    examples.set(`${name}/next`, wholeBody(await talk.ask('What time is it?').reply(to)));
    const loop = await talk.runTools('12:00').reply(to);
    examples.set(`${name}/loop`, conversation(loop, conversationOf(loop).findLastIndex(isQuestion)));
    examples.set(`${name}/mistake`, await refusal(to, loop, spoiling(spoil)));
  }
  examples.set('responses/chained', await chained(simulator));
  return examples;
}

const isQuestion = (message: unknown): boolean => JSON.stringify(message).includes('What time is it?');

/** With `storeResponses`, a request contains only what is new. */
async function chained(simulator: Simulator): Promise<string> {
  const to = target(simulator, 'openai_responses', 'gpt-5.5', { quirks: { storeResponses: true } });
  const talk = new Talk(simulator).ask('What is 6 × 7?');
  await talk.reply(to);
  return wholeBody(await talk.ask('What time is it?').reply(to));
}

const CHAT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ['openai', 'gpt-5.1'],
  ['deepseek', 'deepseek-v4-flash'],
  ['openrouter', 'anthropic/claude-sonnet-5'],
  ['groq', 'openai/gpt-oss-120b'],
  ['mistral', 'magistral-medium-latest'],
  ['moonshot', 'kimi-k2.6'],
  ['xai', 'grok-4.3'],
  ['ollama', 'gpt-oss:20b'],
];

/** The same reply, with a call, as each server of the chat protocol gets it back. */
export async function chatExamples(simulator: Simulator): Promise<Examples> {
  const examples: Examples = new Map();
  for (const [provider, model] of CHAT_MODELS) {
    const to: CallTarget = target(simulator, provider, model, { tools: [CLOCK] });
    const talk = new Talk(simulator).ask('What time is it?');
    await talk.reply(to);
    const [, reply] = conversationOf(await talk.runTools('12:00').reply(to));
    examples.set(`chat/${provider}`, readable(reply));
  }
  return examples;
}
