import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ApiError as GoogleError, GoogleGenAI } from '@google/genai';
import OpenAI, { APIError as OpenAIError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { GatewayStage } from './testing.ts';
import { CALLS, startStage } from './testing.ts';

// Official clients with their own retries, as people have them: what they repeat would be asked again and again.

const QUESTION = 'What is a tree?';
const KEY = { apiKey: 'bough' };
const ONE_TOKEN = { budgets: { tiny: { tokens: 1 } } };

interface Refused {
  readonly status: number;
  readonly message: string;
}

/** Asks in one protocol; gives the text, or what the SDK made of the refusal. */
type Asking = (stage: GatewayStage, model?: string) => Promise<string | Refused>;

const refusedBy = (error: unknown): Refused => {
  if (error instanceof AnthropicError || error instanceof OpenAIError || error instanceof GoogleError)
    return { status: Number(error.status), message: error.message };
  throw error;
};

const anthropic: Asking = async (stage, model = 'claude-opus-4-6') => {
  const client = new Anthropic({ ...KEY, baseURL: stage.at('anthropic') });
  const body = { model, max_tokens: 2_000, messages: [{ role: 'user' as const, content: QUESTION }] };
  return client.messages.create(body).then((reply) => JSON.stringify(reply.content), refusedBy);
};
const responses: Asking = async (stage) => {
  const client = new OpenAI({ ...KEY, baseURL: `${stage.at('openai_responses')}/v1` });
  const body = { model: 'gpt-5.1', store: false, input: QUESTION };
  return client.responses.create(body).then((reply) => reply.output_text, refusedBy);
};
const chat: Asking = async (stage) => {
  const client = new OpenAI({ ...KEY, baseURL: `${stage.at('openai')}/v1` });
  const body = { model: 'gpt-5.1', messages: [{ role: 'user' as const, content: QUESTION }] };
  const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  return stream.finalContent().then((text) => text ?? '', refusedBy);
};
const gemini: Asking = async (stage) => {
  const client = new GoogleGenAI({ ...KEY, httpOptions: { baseUrl: stage.at('gemini') } });
  const params = { model: 'gemini-2.5-pro', contents: QUESTION };
  return client.models.generateContent(params).then((reply) => reply.text ?? '', refusedBy);
};

const asked = ({ tee }: GatewayStage): number => tee.seen().length;

async function post(stage: GatewayStage, headers: Readonly<Record<string, string>> = {}, model = 'claude-opus-4-6') {
  const response = await fetch(`${stage.at('anthropic')}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify({ model, max_tokens: 2_000, messages: [{ role: 'user', content: QUESTION }] }),
  });
  await response.text();
  return { status: response.status, note: response.headers.get('x-bough-budget') };
}

describe('budgets of other clients', () => {
  it.each<[string, Asking, RegExp]>([
    ['@anthropic-ai/sdk', anthropic, /"type":"billing_error"/],
    ['openai, Responses', responses, /^402 The budget "tiny"/],
    ['openai, Chat Completions', chat, /^402 The budget "tiny"/],
    ['@google/genai', gemini, /"status":"RESOURCE_EXHAUSTED"/],
  ])('GW-220: %s reads why it is refused, and does not ask again', async (_, ask, form) => {
    const stage = await startStage({}, ONE_TOKEN);
    expect(await ask(stage)).toContain(QUESTION);
    const before = asked(stage);
    const refused = await ask(stage);
    expect(refused).toMatchObject({ status: 402 });
    const { message } = refused as Refused;
    expect(message).toMatch(form);
    expect(message.replaceAll('\\"', '"')).toMatch(
      /The budget "tiny" is used up: [\d,]+ of 1 tokens today\. It begins anew at \d{4}-\d\d-\d\d 00:00 UTC\. It can be/,
    );
    // Neither the vendor nor the gateway was asked a second time, and nothing is recorded of it.
    expect(asked(stage)).toBe(before);
    const answers = stage.server.logged().filter((line) => line.includes('"status":402'));
    expect(answers).toHaveLength(1);
    expect((await stage.server.client.diagnostics()).calls.map(({ count }) => count)).toEqual([1]);
    expect(await (await fetch(`${stage.server.url}/api/metrics`)).text()).toContain(
      'bough_budgets_total{budget="tiny",outcome="refused"} 1',
    );
  });

  it.each(CALLS)('GW-220: $protocol: the refusal says that asking again is useless, streamed or not', async (call) => {
    const stage = await startStage({}, ONE_TOKEN);
    expect(await post(stage)).toMatchObject({ status: 200 });
    for (const stream of [true, false]) {
      const headers = { 'content-type': 'application/json', ...call.headers };
      const url = `${stage.at(call.provider)}${call.path(stream)}`;
      const response = await fetch(url, { method: 'POST', headers, body: call.body(stream) });
      expect(response.status).toBe(402);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(await response.json()).toHaveProperty('error.message', expect.stringContaining('"tiny" is used up'));
    }
  });

  it('GW-245: Codex, which asks again after a 402, is refused with the status that ends its loop', async () => {
    const stage = await startStage({}, ONE_TOKEN);
    expect(await post(stage)).toMatchObject({ status: 200 });
    const call = CALLS.find(({ protocol }) => protocol === 'openai-responses');
    if (call === undefined) throw new Error('Codex speaks Responses.');
    const headers = { 'content-type': 'application/json', ...call.headers, 'user-agent': 'codex_exec/0.169.0 (Linux)' };
    const url = `${stage.at(call.provider)}${call.path(true)}`;
    const response = await fetch(url, { method: 'POST', headers, body: call.body(true) });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await response.json()).toHaveProperty('error.message', expect.stringContaining('"tiny" is used up'));
  });

  it('GW-221: warns from the chosen share on, in a header, also on a route', async () => {
    const to = { provider: 'openai_responses', model: 'gpt-5.1' };
    const routes = [{ from: 'anthropic', model: 'claude-haiku-*', to }];
    const stage = await startStage(
      {},
      { budgets: { wide: { tokens: 1_000_000, warnAt: 0.000_001 } }, gateway: { routes } },
    );
    expect(await post(stage)).toEqual({ status: 200, note: null });
    const note = /^wide 0% \(\d+ of 1,000,000 tokens, until \d{4}-\d\d-\d\dT00:00:00\.000Z\)$/;
    expect(await post(stage)).toMatchObject({ status: 200, note: expect.stringMatching(note) });
    // A session leaves while it is stored; its answer is told the same.
    expect(await post(stage, { 'x-bough-session': 's' })).toMatchObject({ note: expect.stringMatching(note) });
    expect(await post(stage, { 'x-bough-session': 's' })).toMatchObject({ note: expect.stringMatching(note) });
    const routed = await post(stage, {}, 'claude-haiku-4-5');
    expect(routed).toMatchObject({ status: 200, note: expect.stringMatching(note) });
    const { budgets } = await stage.server.client.listBudgets();
    expect(budgets).toMatchObject([{ name: 'wide', uses: [{ level: 'warn', projectId: null, client: null }] }]);
  });

  it('GW-222: one client, and one project, do not use up the budget of another', async () => {
    const budgets = { clients: { client: '*', tokens: 1 }, free: { client: 'third', tokens: 1_000_000 } };
    const stage = await startStage({}, { budgets });
    expect(await post(stage, { 'user-agent': 'first/1.0' })).toMatchObject({ status: 200 });
    expect(await post(stage, { 'user-agent': 'first/2.0' })).toMatchObject({ status: 402 });
    expect(await post(stage, { 'user-agent': 'second/1.0' })).toMatchObject({ status: 200 });
    const { budgets: found } = await stage.server.client.listBudgets();
    expect(
      found
        .find(({ name }) => name === 'clients')
        ?.uses.map(({ client }) => client)
        .toSorted(),
    ).toEqual(['first', 'second']);
    await stage.server.client.setBudget('per project', { project: '*', tokens: 1, per: 'total' });
    const session = { 'user-agent': 'third/1.0', 'x-bough-session': 'one' };
    expect(await post(stage, session)).toMatchObject({ status: 200 });
    expect(await post(stage, session)).toMatchObject({ status: 402 });
  });

  it('GW-222: a conversation without a session is found by its history before its project is judged', async () => {
    const stage = await startStage({}, { budgets: { each: { project: '*', tokens: 1 } } });
    expect(await post(stage)).toMatchObject({ status: 200 });
    expect(await post(stage)).toMatchObject({ status: 402 });
    const other = await fetch(`${stage.at('anthropic')}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: '{"model":"claude-opus-4-6","max_tokens":2000,"messages":[{"role":"user","content":"Another one"}]}',
    });
    await other.text();
    expect(other.status).toBe(200);
  });

  it('GW-223: money of a model without a price is not counted, and that is told; its tokens are', async () => {
    const stage = await startStage({}, { budgets: { money: { usd: 0.000_001 } } });
    expect(await post(stage, {}, 'sim-plain')).toEqual({ status: 200, note: 'money without unpriced sim-plain' });
    expect(await post(stage, {}, 'sim-plain')).toEqual({ status: 200, note: 'money without unpriced sim-plain' });
    const { budgets } = await stage.server.client.listBudgets();
    expect(budgets).toMatchObject([{ uses: [{ used: 0, level: 'ok', unpriced: ['sim-plain'] }] }]);
    expect(await post(stage)).toMatchObject({ status: 200 });
    expect(await post(stage, {}, 'sim-plain')).toMatchObject({ status: 402 });
    await stage.server.client.setBudget('tokens', { tokens: 1 });
    expect(await post(stage)).toMatchObject({ status: 402 });
  });

  it('GW-223: a call whose provider does not say what it used is told as not counted', async () => {
    const stage = await startStage({}, ONE_TOKEN);
    const client = new OpenAI({ ...KEY, baseURL: `${stage.at('openai')}/v1` });
    const body = { model: 'gpt-5.1', stream: true as const, messages: [{ role: 'user' as const, content: QUESTION }] };
    for (const note of [null, 'tiny without 1 uncounted', 'tiny without 2 uncounted']) {
      const { data, response } = await client.chat.completions.create(body).withResponse();
      for await (const chunk of data) expect(chunk.usage ?? null).toBeNull();
      expect(response.headers.get('x-bough-budget')).toBe(note);
    }
    const { budgets } = await stage.server.client.listBudgets();
    expect(budgets).toMatchObject([{ uses: [{ used: 0, uncounted: 3 }] }]);
  });
});
