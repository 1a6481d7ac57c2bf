import OpenAI from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseInputItem } from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import { responsesProtocol } from './index.ts';
import { deploymentUnderTest } from './testing.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator({ protocols: [responsesProtocol], seed: 'client' });
  client = new OpenAI({ apiKey: 'none', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
});
afterAll(() => simulator.close());

const SETTINGS = {
  store: false,
  include: ['reasoning.encrypted_content'],
  tools: [
    {
      type: 'function',
      name: 'calculator',
      parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
      strict: false,
    },
  ],
} satisfies Partial<ResponseCreateParamsNonStreaming>;

const thinkers = deploymentUnderTest().models.filter(({ canThink }) => canThink);

describe('the official client', () => {
  test.each([
    ...thinkers.map(({ id, reasoning }) => [id, reasoning === 'summary'] as const),
    ['gpt-5.5', true] as const,
  ])('SIM-OAR-10: streams, runs its tool loop and goes on, on %s', async (model, summaries) => {
    simulator.clearLog();
    const reasoning: Reasoning = summaries ? { effort: 'low', summary: 'auto' } : { effort: 'low' };
    const request = { ...SETTINGS, model, reasoning };
    const input: ResponseInputItem[] = [{ role: 'user', content: 'What is 17 * 23?' }];
    for (let calls = 1; calls > 0;) {
      let streamed = '';
      const stream = client.responses.stream({ ...request, input });
      stream.on('response.output_text.delta', ({ delta }) => {
        streamed += delta;
      });
      const response = await stream.finalResponse();
      expect(response.output_text).toBe(streamed);
      input.push(...response.output.map(asWritten));
      const made = response.output.filter((item) => item.type === 'function_call');
      for (const { call_id } of made) input.push({ type: 'function_call_output', call_id, output: '391' });
      calls = made.length;
    }
    input.push({ role: 'user', content: 'Thank you.' });
    const last = await client.responses.create({ ...request, input });
    expect(last.output_text).not.toBe('');
    expect(last.usage?.output_tokens).toBeGreaterThan(0);
    expect(simulator.log().filter(({ kind }) => kind === 'rejected' || kind === 'silent_drop')).toEqual([]);
  });

  test('SIM-OAR-10: continues a stored response, reads it, and reads refusals as errors', async () => {
    const first = await client.responses.create({ model: 'sim-summary', input: 'Hello.' });
    const next = await client.responses.create({
      model: 'sim-summary',
      input: 'More.',
      previous_response_id: first.id,
    });
    expect((await client.responses.retrieve(next.id)).output_text).toBe(next.output_text);
    await expect(client.responses.retrieve('resp_never')).rejects.toMatchObject({ status: 404 });
    await expect(
      client.responses.create({ model: 'sim-summary', input: 'x', previous_response_id: 'resp_never' }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  test('SIM-OAR-10: sees a refusal, a cut answer and an error event', async () => {
    const refused = await client.responses.create({ model: 'sim-plain', input: '/sim refuse' });
    expect(refused.output[0]).toMatchObject({ type: 'message', content: [{ type: 'refusal' }] });
    const cut = await client.responses.create({ model: 'sim-plain', input: '/sim max_tokens' });
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const failing = await client.responses.create({ model: 'sim-plain', input: '/sim fault error 4', stream: true });
    const types: string[] = [];
    for await (const { type } of failing) types.push(type);
    expect(types.at(-1)).toBe('error');
  });
});

/** The client adds what it parsed to the items; the API knows no such fields. */
function asWritten(item: object): ResponseInputItem {
  const json = JSON.stringify(item, (key, value: unknown) => (key.startsWith('parsed') ? undefined : value));
  return JSON.parse(json) as ResponseInputItem;
}
