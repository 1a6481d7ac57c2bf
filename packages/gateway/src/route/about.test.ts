import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../testing/stage.ts';
import { HERE, startStage } from '../testing/stage.ts';

let stage: Stage;
beforeAll(async () => {
  const to = { provider: 'simulated_gemini', model: 'sim-summary' };
  stage = await startStage([
    { from: 'simulated', model: 'claude-*', to },
    { from: 'simulated_responses', model: 'gpt-*', to },
    { from: 'simulated', model: 'lost', to: { provider: 'nowhere', model: 'x' } },
  ]);
});
afterAll(() => stage.close());

const KEY = { apiKey: 'bough', maxRetries: 0 };
const anthropic = (): Anthropic => new Anthropic({ ...KEY, baseURL: `${HERE}/gateway/simulated`, fetch: stage.fetch });
const openai = (): OpenAI =>
  new OpenAI({ ...KEY, baseURL: `${HERE}/gateway/simulated_responses/v1`, fetch: stage.fetch });

describe('about routed models', () => {
  it('GW-84: tokens are counted, and a model is described, as the client expects it', async () => {
    const messages = [{ role: 'user' as const, content: 'What is a tree?' }];
    const short = await anthropic().messages.countTokens({ model: 'claude-x', messages });
    const long = await anthropic().messages.countTokens({
      model: 'claude-x',
      messages,
      system: 'Be brief. '.repeat(100),
    });
    expect(short.input_tokens).toBeGreaterThan(0);
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 100);
    expect(await anthropic().models.retrieve('claude-x')).toMatchObject({ id: 'claude-x', type: 'model' });
  });

  it('GW-84: a reply without a stream is whole', async () => {
    const reply = await anthropic().messages.create({
      model: 'claude-x',
      max_tokens: 3_000,
      messages: [{ role: 'user', content: 'What is a bough?' }],
    });
    expect(reply).toMatchObject({ type: 'message', model: 'claude-x', stop_reason: 'end_turn' });
    expect(reply.content.some(({ type }) => type === 'text')).toBe(true);
    expect(reply.usage.output_tokens).toBeGreaterThan(0);
  });

  it('GW-303: what cannot be said to the other provider is told', async () => {
    const asked = { model: 'claude-x', max_tokens: 3_000, messages: [{ role: 'user' as const, content: 'A leaf?' }] };
    const all = await anthropic().messages.create(asked).withResponse();
    expect(all.response.headers.get('x-bough-left-out')).toBeNull();
    const less = await anthropic()
      .messages.create({ ...asked, stop_sequences: ['tree'] })
      .withResponse();
    expect(less.response.headers.get('x-bough-left-out')).toBe('stop_sequences');
  });

  it('GW-304: a failure of the other provider is told at once, with how long to wait; the client asks again', async () => {
    stage.simulator.clearLog();
    const asked = anthropic().messages.create({
      model: 'claude-x',
      max_tokens: 3_000,
      messages: [{ role: 'user', content: 'A root? /sim fault 429' }],
    });
    const error = await asked
      .then(() => null)
      .catch((failed: unknown) => failed as InstanceType<typeof Anthropic.APIError>);
    expect([error?.status, error?.headers?.get('x-should-retry')]).toEqual([429, 'true']);
    expect(Number(error?.headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(stage.simulator.log().filter(({ kind }) => kind === 'fault')).toHaveLength(1);
  });

  it('GW-84: what only OpenAI keeps is refused in its words', async () => {
    const input = [
      { type: 'item_reference' as const, id: 'rs_1' },
      { role: 'user' as const, content: 'x' },
    ];
    await expect(openai().responses.create({ model: 'gpt-x', input })).rejects.toThrow("Item with id 'rs_1' not found");
    const asked = openai().responses.create({ model: 'gpt-x', input: 'x', previous_response_id: 'resp_1' });
    await expect(asked).rejects.toThrow("Previous response with id 'resp_1' not found");
  });

  it('GW-81: a route that leads nowhere is told', async () => {
    const asked = anthropic().messages.create({
      model: 'lost',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'x' }],
    });
    await expect(asked).rejects.toThrow('no such provider is configured');
  });
});
