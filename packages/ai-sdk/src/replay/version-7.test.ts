import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider';
import * as ai7 from 'ai-7';
import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOfPrompt } from '../prompt/path.ts';
import { withStamp } from '../stamp/index.ts';
import { targetOf } from '../target/index.ts';
import type { Conversations } from '../testing/conversations.ts';
import { BUDGET, ENCRYPTED, makeConversations, QUESTION, THOUGHTS, withoutMetadata } from '../testing/conversations.ts';
import type { Lab, Vendor } from '../testing/lab.ts';
import { ask, bridged, openLab, user } from '../testing/lab.ts';
import { replay } from './prompt.ts';

let lab: Lab;
let made: Conversations;
beforeAll(async () => {
  lab = await openLab({}, 7);
  made = await makeConversations(lab);
});
afterAll(() => lab.close());

const OPUS = ['claude', 'claude-opus-4-5'] as const;
const EXPRESSION = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
} as const;
const TOOL = ai7.tool({ inputSchema: ai7.jsonSchema<{ expression: string }>(EXPRESSION), execute: () => '42' });
const bodyText = (): string => JSON.stringify(lab.exchanges.at(-1)?.body);

describe('the setting `reasoning`, which version 7 added', () => {
  it('AIS-131: counts as thinking with a budget, which is switched off where the thought is lost', async () => {
    const options = { reasoning: 'high', maxOutputTokens: 8_000, sdk: lab.sdk } as const;
    const lost = withoutMetadata(made.opus);
    expect((await ask(lab.model(...OPUS), lost, options)).error).toMatch(/Expected `thinking`/);
    const { model, reports } = bridged(lab.model(...OPUS), {}, lab.sdk);
    expect((await ask(model, lost, options)).error).toBe('');
    expect(bodyText()).not.toContain('"type":"enabled"');
    expect(reports[0]?.settings).toMatchObject([{ setting: 'anthropic.thinking', loss: true }]);
  });

  it('AIS-131: stays where the model decides itself how long it thinks, and where the thought is there', async () => {
    for (const [id, history] of [
      ['claude-sonnet-5-5', withoutMetadata(made.opus)],
      ['claude-opus-4-5', made.opus],
    ] as const) {
      const { model, reports } = bridged(lab.model('claude', id), {}, lab.sdk);
      const { error } = await ask(model, history, { reasoning: 'high', maxOutputTokens: 8_000, sdk: lab.sdk });
      expect(error).toBe('');
      expect(bodyText()).toMatch(/"thinking":\{"type":"(?:adaptive|enabled)"/);
      expect(reports[0]?.settings).toEqual([]);
    }
  });
});

it('AIS-132: a conversation that is streamed by version 7 goes from model to model and back', async () => {
  const hands: readonly (readonly [Vendor, string])[] = [
    OPUS,
    ['gpt', 'gpt-5'],
    ['gemini', 'gemini-3.8-flash'],
    OPUS,
    OPUS,
  ];
  const messages: ModelMessage[] = [];
  for (const [vendor, id] of hands) {
    const { model } = bridged(lab.model(vendor, id), {}, lab.sdk);
    messages.push(user(QUESTION.content as string));
    const { response, stream } = ai7.streamText({
      model: model as never,
      messages: messages as ai7.ModelMessage[],
      maxRetries: 0,
      maxOutputTokens: 8_000,
      providerOptions: { ...BUDGET.providerOptions, ...ENCRYPTED.providerOptions, ...THOUGHTS.providerOptions },
      tools: { calculator: TOOL },
    });
    for await (const part of stream) if (part.type === 'error') throw part.error;
    messages.push(...((await response).messages as ModelMessage[]));
    expect(lab.exchanges.at(-1)?.status).toBe(200);
  }
  // The last two turns were made by one model: its thinking goes back.
  expect(bodyText().match(/"signature"/g)?.length).toBeGreaterThan(1);
});

describe('the forms that version 7 added', () => {
  const prompt7 = (...messages: readonly unknown[]): LanguageModelV3Prompt => messages as LanguageModelV3Prompt;
  const idOf = (data: unknown): string | undefined =>
    pathOfPrompt(prompt7({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] }), {
      originOf: () => null,
      asText: () => false,
      stableIds: true,
    }).path.at(-1)?.id;

  it('AIS-133: a file has the same id in the forms of either version, and other files have others', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    for (const [old, tagged] of [
      [bytes, { type: 'data', data: bytes }],
      ['AQID', { type: 'data', data: 'AQID' }],
      [new URL('https://a.example/x.png'), { type: 'url', url: new URL('https://a.example/x.png') }],
    ])
      expect(idOf(tagged)).toBe(idOf(old));
    const reference = (id: string): unknown => ({ type: 'reference', reference: { openai: id } });
    expect(idOf(reference('file-1'))).not.toBe(idOf(reference('file-2')));
  });

  it('AIS-133: a file of a thought goes back to its maker, and to nobody else', () => {
    const gemini = targetOf({ provider: 'google.generative-ai', modelId: 'gemini-3.8-flash' });
    const stamped = withStamp(undefined, { ...gemini.lock, madeWith: null, thoughts: [], at: 0 });
    const params = {
      prompt: prompt7(
        { role: 'user', content: [{ type: 'text', text: 'Draw.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
            { type: 'text', text: 'Done.', providerOptions: stamped },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
      ),
    } satisfies LanguageModelV3CallOptions;
    const own = replay(params, gemini, {});
    expect(JSON.stringify(own.params.prompt)).toContain('reasoning-file');
    const other = replay(params, targetOf({ provider: 'anthropic.messages', modelId: 'claude-opus-4-5' }), {});
    expect(JSON.stringify(other.params.prompt)).not.toContain('reasoning-file');
    expect(other.report.messages[1]?.reasons).toContain('custom_block_not_sent');
  });
});
