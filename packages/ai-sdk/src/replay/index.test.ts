import type { ModelMessage, UIMessage } from 'ai';
import { wrapLanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, question } from '../testing/chat.ts';
import type { Conversations } from '../testing/conversations.ts';
import {
  BUDGET,
  ENCRYPTED,
  makeConversations,
  mapReplies,
  said,
  THOUGHTS,
  withoutMetadata,
} from '../testing/conversations.ts';
import type { Ask, Lab, Vendor } from '../testing/lab.ts';
import { ask, bridged, openLab, user } from '../testing/lab.ts';
import { rememberReplies } from '../thinking/known.ts';

let lab: Lab;
let made: Conversations;
beforeAll(async () => {
  lab = await openLab();
  made = await makeConversations(lab);
});
afterAll(() => lab.close());

const sent = (): string => JSON.stringify(lab.exchanges.at(-1)?.body);
const OPUS = ['claude', 'claude-opus-4-5'] as const;

describe('a conversation that changes hands', () => {
  const SETTINGS: Ask = {
    ...BUDGET,
    providerOptions: { ...BUDGET.providerOptions, ...ENCRYPTED.providerOptions, ...THOUGHTS.providerOptions },
  };
  const HANDS: readonly (readonly [Vendor, string])[] = [
    OPUS,
    ['gpt', 'gpt-5'],
    ['gemini', 'gemini-3.8-flash'],
    ['claude', 'claude-fable-5-2'],
    ['chat', 'gpt-4.1'],
    ['gemini', 'gemini-2.5-pro'],
    ['gpt', 'gpt-5.1'],
    OPUS,
    OPUS,
  ];

  it.each([false, true])(
    'AIS-13: is accepted by each, with thinking and tools in every turn (tools kept: %s)',
    async (keepToolsAfterBreak) => {
      const messages: UIMessage[] = [];
      const signatures = new Map<string, string>();
      for (const [turn, [vendor, id]] of HANDS.entries()) {
        const { model } = bridged(lab.model(vendor, id), { keepToolsAfterBreak });
        messages.push(question(`Turn ${turn}. /sim think 1 /sim tools calculator steps 2`));
        const from = lab.exchanges.length;
        const { reply, errors } = await chat(model, messages, SETTINGS);
        expect(errors).toEqual([]);
        const calls = lab.exchanges.slice(from);
        expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
        // No seal of one issuer is ever shown to another.
        for (const [seal, owner] of signatures) {
          if (owner !== `${vendor} ${id}`) expect(JSON.stringify(calls)).not.toContain(seal);
        }
        for (const seal of JSON.stringify(reply).match(/[\w+/=-]{60,}/g) ?? []) {
          if (!/^[0-9a-f]{64}$/.test(seal)) signatures.set(seal, `${vendor} ${id}`);
        }
        messages.push(reply);
      }
      expect(new Set(signatures.values()).size).toBeGreaterThan(4);
      // The last two turns were made by one model: its thinking goes back.
      expect(sent().match(/"signature"/g)?.length).toBeGreaterThan(1);
    },
  );
});

describe('what is known of a reply', () => {
  it('AIS-14: every part of a reply names its maker, streamed or not, beside what the provider put there', async () => {
    const { model } = bridged(lab.model(...OPUS));
    const streamed = (await chat(model, [question('/sim think 1 /sim tools calculator')], { ...BUDGET, steps: 1 }))
      .reply;
    const stamp = { provider: 'anthropic', model: 'claude-opus-4-5' };
    expect(streamed.parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
      { type: 'reasoning', providerMetadata: { anthropic: { signature: expect.any(String) }, bough: stamp } },
      { type: 'text', providerMetadata: { bough: stamp } },
      { type: 'tool-calculator', callProviderMetadata: { bough: stamp } },
    ]);
    expect(made.opus[1]).toMatchObject({
      content: [
        { providerOptions: { anthropic: { signature: expect.any(String) }, bough: stamp } },
        { providerOptions: { bough: stamp } },
        { providerOptions: { bough: stamp } },
      ],
    });
  });

  it('AIS-15: without a stamp the maker is unknown: texts and calls go, reasoning stays out', async () => {
    const unstamped = mapReplies(made.gpt, (parts) =>
      parts.map((part) => ({
        ...part,
        providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'x' } },
      })),
    );
    const { model, reports } = bridged(lab.model('gpt', 'gpt-5'));
    expect((await ask(model, unstamped, ENCRYPTED)).status).toBe(200);
    expect(sent()).not.toContain('rs_1');
    expect(sent()).toContain('function_call');
    expect(reports[0]?.messages[1]).toMatchObject({
      fidelity: 'canonical',
      reasons: ['no_provider_information', 'thinking_not_replayable'],
    });
  });

  it('AIS-15: unless the caller vouches for it', async () => {
    const unstamped = mapReplies(made.gpt, (parts) =>
      parts.map((part) => {
        if (part.type === 'tool-approval-request') return part;
        const { bough: _, ...others } = part.providerOptions ?? {};
        return { ...part, providerOptions: others };
      }),
    );
    const issuerOf = () => ({ provider: 'openai_responses', model: 'gpt-5' });
    const { model, reports } = bridged(lab.model('gpt', 'gpt-5'), { issuerOf });
    expect((await ask(model, unstamped, ENCRYPTED)).status).toBe(200);
    expect(sent()).toContain('"encrypted_content":"gAAAA');
    expect(reports[0]?.messages.every(({ fidelity }) => fidelity === 'verbatim')).toBe(true);
  });

  it('AIS-16: a reply that the application remembers is restored whole', async () => {
    const { model, reports } = bridged(lab.model(...OPUS), { known: rememberReplies(made.opus) });
    expect((await ask(model, withoutMetadata(made.opus), BUDGET)).status).toBe(200);
    expect(sent()).toContain('"signature":"');
    expect(sent()).toContain('"thinking":{"type":"enabled"');
    expect(reports[0]?.messages[1]?.reasons).toEqual(['thinking_restored']);
    expect(reports[0]?.settings).toEqual([]);
  });

  it('AIS-16: which does not make it the reply of another model', async () => {
    const { model, reports } = bridged(lab.model('gpt', 'gpt-5'), { known: rememberReplies(made.opus) });
    expect((await ask(model, withoutMetadata(made.opus), ENCRYPTED)).status).toBe(200);
    expect(reports[0]?.messages[1]).toMatchObject({
      fidelity: 'canonical',
      reasons: ['model_break', 'thinking_not_replayable', 'thinking_restored'],
    });
  });

  it('AIS-17: thinking that is bound to its prefix goes back while the conversation only grows', async () => {
    const { model, reports } = bridged(lab.model('claude', 'claude-fable-5-2'));
    const first = await ask(model, made.fable);
    const grown = [...made.fable, ...first.messages, user('/sim think 1')];
    const second = await ask(model, grown);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(reports.flatMap(({ messages }) => messages.flatMap(({ reasons }) => reasons))).toEqual([]);
    expect(sent().match(/"signature"/g)?.length).toBeGreaterThanOrEqual(1);
    const [opening, ...later] = grown;
    expect(opening).toBeDefined();
    expect((await ask(model, [user('Another beginning.'), ...later])).status).toBe(200);
    expect(sent()).not.toContain('"signature"');
    expect(reports.at(-1)?.messages[1]?.reasons).toEqual(['thinking_prefix_changed']);
  });

  it('AIS-18: thoughts of another model go as labelled text where the caller wants that', async () => {
    const history: readonly ModelMessage[] = [...made.opus, said('It is 391.'), user('And now?')];
    const { model, reports } = bridged(lab.model('gpt', 'gpt-5'), { thinkingAsText: true });
    expect((await ask(model, history, ENCRYPTED)).status).toBe(200);
    expect(sent()).toContain('[Reasoning from earlier, included on request]');
    expect(reports[0]?.messages[1]?.reasons).toContain('thinking_included_as_text');
  });
});

describe('settings and system messages', () => {
  it('AIS-19: a system message in the middle, which the AI SDK refuses for Gemini, joins those in front', async () => {
    const history: readonly ModelMessage[] = [
      user('Hello.'),
      said('Hi.'),
      { role: 'system', content: 'Be brief.' },
      user('Go on.'),
    ];
    const gemini = lab.model('gemini', 'gemini-3.8-flash');
    await expect(ask(gemini, history)).rejects.toThrow(/system messages are only supported at the beginning/);
    expect((await ask(bridged(gemini).model, history)).status).toBe(200);
    expect(lab.exchanges.at(-1)?.body).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief.' }] } });
  });

  it('AIS-19: a caller who lets OpenAI store replies goes on naming them by their ids', async () => {
    const { model, reports } = bridged(lab.model('gpt', 'gpt-5'));
    const stored: Ask = { providerOptions: { openai: { store: true, reasoningSummary: 'auto' } } };
    const opening = user('/sim think 1 /sim tools calculator');
    const { messages } = await ask(model, [opening], stored);
    expect((await ask(model, [opening, ...messages], stored)).status).toBe(200);
    expect(sent()).toContain('"type":"item_reference","id":"rs_');
    expect(reports.flatMap(({ settings }) => settings)).toEqual([]);
  });

  it('AIS-19: blank texts of a user and blank system messages stay out, and the report says so', async () => {
    const { model, reports } = bridged(lab.model(...OPUS));
    const blank: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: ' ' },
        { type: 'text', text: 'Hello.' },
      ],
    };
    expect((await ask(model, [{ role: 'system', content: ' ' }, blank])).status).toBe(200);
    expect(reports[0]?.messages.map(({ fidelity, reasons }) => [fidelity, ...reasons])).toEqual([
      ['dropped', 'empty'],
      ['canonical', 'empty'],
    ]);
  });

  it('AIS-19: sampling parameters that a model refuses are left out, and reported', async () => {
    const { model, reports } = bridged(lab.model('claude', 'claude-opus-4-5'));
    expect((await ask(model, [user('Hello.')], { ...BUDGET, temperature: 0.3 })).status).toBe(200);
    expect(sent()).not.toContain('temperature');
    expect(reports[0]?.settings).toMatchObject([{ setting: 'temperature', loss: true }]);
    expect((await ask(model, [user('Hello.')], { temperature: 0.3 })).status).toBe(200);
    expect(lab.exchanges.at(-1)?.body).toMatchObject({ temperature: 0.3 });
  });

  it('AIS-19: what changes is a warning of the AI SDK too; what does not is none', async () => {
    const { model } = bridged(lab.model(...OPUS));
    const changed = await ask(model, withoutMetadata(made.opus), BUDGET);
    expect(changed.warnings).toContainEqual(expect.stringMatching(/^Bough: anthropic\.thinking: off for this request/));
    expect((await ask(model, made.opus, BUDGET)).warnings).toEqual([]);
  });

  it('AIS-19: a provider that Bough does not know is an error that says what to do', async () => {
    const model = lab.model(...OPUS);
    const stranger = wrapLanguageModel({ model, middleware: { specificationVersion: 'v3' }, providerId: 'acme.chat' });
    await expect(ask(bridged(stranger).model, [user('Hello.')])).rejects.toThrow(
      /does not know the AI SDK provider "acme.chat"/,
    );
  });
});
