import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../server.ts';
import { startSimulator } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;
interface Counted {
  readonly input: number;
  readonly read: number;
  readonly written: number;
}

let clock = Date.parse('2026-11-18T10:00:00Z');
let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'prompt-cache', now: () => clock });
});
afterAll(async () => {
  await simulator.close();
});

const MINUTE = 60_000;
/** About so many tokens, and different for every name. */
const words = (name: string, tokens: number): string => `${name} `.repeat(Math.ceil((tokens * 4) / (name.length + 1)));

async function post(path: string, headers: Readonly<Record<string, string>>, body: Json): Promise<Json> {
  const answer = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Json;
}

const at = (json: unknown, ...keys: readonly string[]): number => {
  const found = keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], json);
  return typeof found === 'number' ? found : 0;
};

const user = (content: unknown): Json => ({ role: 'user', content });
const said = (content: unknown): Json => ({ role: 'assistant', content });
const mark = { cache_control: { type: 'ephemeral' } };
const block = (text: string, more: Json = {}): Json => ({ type: 'text', text, ...more });

async function claude(body: Json, key = 'one'): Promise<Counted & { readonly usage: unknown }> {
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  const { usage } = await post('/v1/messages', headers, { model: 'claude-sonnet-5', max_tokens: 1_000, ...body });
  const [read, written] = [at(usage, 'cache_read_input_tokens'), at(usage, 'cache_creation_input_tokens')];
  return { input: at(usage, 'input_tokens') + read + written, read, written, usage };
}

describe('Claude caches what is marked', () => {
  it('SIM-221: nothing without a mark or below the least length; from there on up to the mark', async () => {
    const messages = [user(words('unmarked', 2_000))];
    expect(await claude({ messages })).toMatchObject({ read: 0, written: 0 });
    expect(await claude({ messages })).toMatchObject({ read: 0, written: 0 });
    expect(await claude({ ...mark, messages: [user(words('short', 900))] })).toMatchObject({ written: 0 });
    const body = { ...mark, messages: [user(words('marked', 2_000))] };
    const first = await claude(body);
    expect(first).toMatchObject({ read: 0 });
    expect(first.written).toBeGreaterThan(1_990);
    expect(first.usage).toMatchObject({ cache_creation: { ephemeral_5m_input_tokens: first.written } });
    const next = await claude({ ...mark, messages: [...body.messages, said('So.'), user('And?')] });
    expect(next.read).toBe(first.written);
    expect(next.written).toBeGreaterThan(0);
    expect(next.input - next.read - next.written).toBeLessThan(2);
    // Haiku 4.5 keeps nothing below 4,096.
    expect(await claude({ ...body, model: 'claude-haiku-4-5' })).toMatchObject({ read: 0, written: 0 });
  });

  it('SIM-221: other accounts, models, tools, prompts, efforts and marks farther than twenty blocks find nothing', async () => {
    const system = words('prompt', 2_000);
    const body = { ...mark, system, messages: [user('Hello.')] };
    const { written } = await claude(body);
    const reads = async (change: Json, key?: string): Promise<number> =>
      (await claude({ ...body, ...change }, key)).read;
    expect(await reads({})).toBe(written);
    expect(await reads({}, 'two')).toBe(0);
    expect(await reads({ model: 'claude-opus-4-8' })).toBe(0);
    expect(await reads({ tools: [{ name: 'a', input_schema: { type: 'object' } }] })).toBe(0);
    expect(await reads({ system: `${system}!` })).toBe(0);
    expect(await reads({ output_config: { effort: 'low' } })).toBe(0);
    const many = (count: number): Json =>
      user(Array.from({ length: count }, (_, index) => block(`${index} of ${count}.`)));
    expect(await reads({ messages: [user('Hello.'), said('Yes.'), many(18)] })).toBe(written);
    expect(await reads({ messages: [user('Hello.'), said('Yes.'), many(19)] })).toBe(0);
    // A second mark where the first request ended finds it again.
    const marked = [user([block('Hello.', mark)]), said('Yes.'), many(30)];
    expect(await reads({ messages: marked })).toBe(written);
  });

  it('SIM-222: a prefix lives for five minutes or an hour, from its last reading on', async () => {
    const messages = [user([block(words('lives', 2_000), mark)])];
    await claude({ messages });
    for (const minutes of [4, 4, 4]) {
      clock += minutes * MINUTE;
      expect((await claude({ messages })).read).toBeGreaterThan(0);
    }
    clock += 5 * MINUTE;
    expect(await claude({ messages })).toMatchObject({ read: 0 });
    const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const body = { messages: [user([block(words('stays', 2_000), long)])] };
    const { usage, written } = await claude(body);
    expect(usage).toMatchObject({ cache_creation: { ephemeral_1h_input_tokens: written } });
    clock += 59 * MINUTE;
    expect((await claude(body)).read).toBe(written);
  });
});

async function responses(body: Json, key = 'one'): Promise<Counted> {
  const { usage } = await post('/v1/responses', { authorization: `Bearer ${key}` }, { model: 'gpt-6-sol', ...body });
  const details = ['input_tokens_details'] as const;
  return {
    input: at(usage, 'input_tokens'),
    read: at(usage, ...details, 'cached_tokens'),
    written: at(usage, ...details, 'cache_write_tokens'),
  };
}

describe('other providers cache by themselves', () => {
  it('SIM-223: OpenAI reads every beginning from 1,024 tokens on, in steps of 128, under the same key', async () => {
    const input = [user(words('question', 3_000))];
    const first = await responses({ input });
    expect(first.read).toBe(0);
    expect(first.written).toBe(first.input - (first.input % 128));
    const next = await responses({ input: [...input, user('More.')] });
    expect(next.read).toBe(first.written);
    expect(await responses({ input, prompt_cache_key: 'mine' })).toMatchObject({ read: 0 });
    expect(await responses({ input, reasoning: { effort: 'low' } })).toMatchObject({ read: 0 });
    expect(await responses({ input, instructions: 'Be brief.' })).toMatchObject({ read: 0 });
    expect(await responses({ input }, 'two')).toMatchObject({ read: 0 });
    const old = { model: 'gpt-5.4', input };
    expect(await responses(old)).toMatchObject({ read: 0, written: 0 });
    expect((await responses(old)).read).toBe(first.written);
    clock += 31 * MINUTE;
    expect(await responses({ input })).toMatchObject({ read: 0 });
  });

  it('SIM-224: chat servers count in their own fields: OpenAI, DeepSeek, Claude at OpenRouter', async () => {
    const chat = async (vendor: string, model: string, messages: readonly Json[]): Promise<unknown> =>
      (await post(`/${vendor}/chat/completions`, { authorization: 'Bearer one' }, { model, messages }))['usage'];
    const long = user(words('chat', 5_000));
    const grown = [long, said('Yes.'), user('And?')];
    await chat('openai/v1', 'gpt-5.4', [long]);
    const openai = await chat('openai/v1', 'gpt-5.4', grown);
    expect(at(openai, 'prompt_tokens_details', 'cached_tokens')).toBeGreaterThan(4_800);
    await chat('deepseek/v1', 'deepseek-chat', [long]);
    const deepseek = await chat('deepseek/v1', 'deepseek-chat', [long, user('And?')]);
    const [hit, miss] = [at(deepseek, 'prompt_cache_hit_tokens'), at(deepseek, 'prompt_cache_miss_tokens')];
    expect(hit % 64).toBe(0);
    expect(hit + miss).toBe(at(deepseek, 'prompt_tokens'));
    expect(hit).toBeGreaterThan(4_800);
    const sonnet = 'anthropic/claude-sonnet-5';
    const read = (usage: unknown): number => at(usage, 'prompt_tokens_details', 'cached_tokens');
    await chat('openrouter/api/v1', sonnet, [long]);
    expect(read(await chat('openrouter/api/v1', sonnet, [long]))).toBe(0);
    const marked = user([block(words('chat', 5_000), mark)]);
    const written = await chat('openrouter/api/v1', sonnet, [marked]);
    expect(at(written, 'prompt_tokens_details', 'cache_write_tokens')).toBeGreaterThan(4_800);
    expect(read(await chat('openrouter/api/v1', sonnet, [marked, said('Yes.'), user('And?')]))).toBeGreaterThan(4_800);
  });

  it('SIM-224: Gemini reads a beginning of 4,096 tokens or more (2.5: 2,048)', async () => {
    const gemini = async (model: string, contents: readonly Json[]): Promise<number> => {
      const path = `/v1beta/models/${model}:generateContent`;
      const { usageMetadata } = await post(path, { 'x-goog-api-key': 'one' }, { contents });
      return at(usageMetadata, 'cachedContentTokenCount');
    };
    const content = (tokens: number): Json => ({ role: 'user', parts: [{ text: words('gemini', tokens) }] });
    const more = { role: 'user', parts: [{ text: 'And?' }] };
    const twice = async (model: string, tokens: number): Promise<number> => {
      expect(await gemini(model, [content(tokens)])).toBe(0);
      return gemini(model, [content(tokens), more]);
    };
    expect(await twice('gemini-3.8-flash', 3_000)).toBe(0);
    expect(await twice('gemini-3.8-flash', 5_000)).toBeGreaterThan(4_900);
    expect(await twice('gemini-2.5-pro', 3_000)).toBeGreaterThan(2_900);
  });
});
