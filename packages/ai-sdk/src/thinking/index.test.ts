import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversations } from '../testing/conversations.ts';
import { BUDGET, makeConversations, mapReplies, said, withoutMetadata } from '../testing/conversations.ts';
import type { Lab } from '../testing/lab.ts';
import { ask, openLab, user } from '../testing/lab.ts';
import type { EnsureThinkingOptions } from './index.ts';
import { ensureThinkingBlocksInModelMessages } from './index.ts';
import { rememberReplies } from './known.ts';

let lab: Lab;
let made: Conversations;
beforeAll(async () => {
  lab = await openLab();
  made = await makeConversations(lab);
});
afterAll(() => lab.close());

const OPUS = { provider: 'anthropic.messages', modelId: 'claude-opus-4-5' };
const { providerOptions = {}, maxOutputTokens = 0 } = BUDGET;

/** Ensures, then calls the plain model of the AI SDK: nothing else is between this function and the wire. */
async function ensureAndAsk(messages: readonly ModelMessage[], more: Partial<EnsureThinkingOptions> = {}) {
  const ensured = ensureThinkingBlocksInModelMessages(messages, { model: OPUS, providerOptions, ...more });
  const settings = { providerOptions: ensured.providerOptions, maxOutputTokens };
  const answer = await ask(lab.model('claude', 'claude-opus-4-5'), ensured.messages, settings);
  return { ...ensured, answer, sent: JSON.stringify(lab.exchanges.at(-1)?.body) };
}

const reasonsOf = ({ report }: { report: { messages: readonly { reasons: readonly string[] }[] } }) =>
  report.messages.flatMap(({ reasons }) => reasons);

describe('the popular trick', () => {
  it.each(['', 'placeholder', 'c2lnbmF0dXJl', 'A'.repeat(400)])(
    'AIS-20: a made-up thought (signature “%s”) is refused by the provider',
    async (signature) => {
      const messages = mapReplies(withoutMetadata(made.opus), (parts) => [
        { type: 'reasoning', text: 'Let me think.', providerOptions: { anthropic: { signature } } },
        ...parts,
      ]);
      const answer = await ask(lab.model('claude', 'claude-opus-4-5'), messages, BUDGET);
      expect(answer.status).toBe(400);
      expect(answer.error).toMatch(/Invalid `signature` in `thinking` block|Expected `thinking`/);
    },
  );

  it.each(['', 'placeholder', 'c2lnbmF0dXJl'])(
    'AIS-21: what has not the form of a signature (“%s”) is taken out, and the request accepted',
    async (signature) => {
      const messages = mapReplies(withoutMetadata(made.opus), (parts) => [
        { type: 'reasoning', text: 'Let me think.', providerOptions: { anthropic: { signature } } },
        ...parts,
      ]);
      const ensured = await ensureAndAsk(messages);
      expect(ensured.answer.status).toBe(200);
      expect(ensured.sent).not.toContain('Let me think.');
      expect(reasonsOf(ensured)).toContain('thinking_not_replayable');
    },
  );
});

describe('ensureThinkingBlocksInModelMessages', () => {
  it('AIS-22: restores the real thought where it is known', async () => {
    const lost = withoutMetadata(made.opus);
    expect((await ask(lab.model('claude', 'claude-opus-4-5'), lost, BUDGET)).status).toBe(400);
    const ensured = await ensureAndAsk(lost, { known: rememberReplies(made.opus) });
    expect(ensured.answer.status).toBe(200);
    expect(ensured.messages).toEqual(made.opus);
    expect(ensured.sent).toContain('"type":"enabled"');
    expect(reasonsOf(ensured)).toEqual(['thinking_restored']);
  });

  it('AIS-22: a known reply whose words have changed since is not restored', async () => {
    const edited = mapReplies(withoutMetadata(made.opus), (parts) =>
      parts.map((part) => (part.type === 'text' ? { ...part, text: 'Edited.' } : part)),
    );
    const ensured = await ensureAndAsk(edited, { known: rememberReplies(made.opus) });
    expect(ensured.answer.status).toBe(200);
    expect(ensured.sent).not.toContain('"signature"');
    expect(ensured.report.settings).toMatchObject([{ setting: 'anthropic.thinking', loss: true }]);
  });

  it('AIS-23: where it is not known, thinking is off for the request, and the report says so', async () => {
    const ensured = await ensureAndAsk(withoutMetadata(made.opus));
    expect(ensured.answer.status).toBe(200);
    expect(ensured.providerOptions).toEqual({ anthropic: { thinking: { type: 'disabled' } } });
    expect(ensured.sent).toContain('"thinking":{"type":"disabled"}');
    expect(ensured.report.settings).toMatchObject([{ setting: 'anthropic.thinking', loss: true }]);
  });

  it('AIS-24: or the tool loop that demands it is left out, if the caller prefers that', async () => {
    const ensured = await ensureAndAsk(withoutMetadata(made.opus), { whenUnknown: 'drop' });
    expect(ensured.answer.status).toBe(200);
    expect(ensured.providerOptions).toEqual(providerOptions);
    expect(ensured.sent).not.toContain('tool_use');
    expect(ensured.report.messages.map(({ fidelity }) => fidelity)).toEqual(['verbatim', 'dropped', 'dropped']);
  });

  it('AIS-25: thoughts of another server, another model or another provider stay out', async () => {
    const answered = [made.proxied, made.gpt, made.fable].flatMap((turn) => [...turn, said('It is 391.')]);
    const foreign = await ensureAndAsk([...answered, ...made.opus]);
    expect(foreign.answer.status).toBe(200);
    expect(foreign.sent.match(/"signature"/g)).toHaveLength(1);
    expect(reasonsOf(foreign)).toEqual(Array.from({ length: 3 }, () => 'thinking_not_replayable'));
  });

  it('AIS-28: a loop goes on across a question that nobody answered, and demands its thought all the same', async () => {
    const messages = [...withoutMetadata(made.proxied), ...made.opus];
    expect((await ask(lab.model('claude', 'claude-opus-4-5'), messages, BUDGET)).error).toMatch(/Expected `thinking`/);
    const off = await ensureAndAsk(messages);
    expect(off.answer.status).toBe(200);
    const dropped = await ensureAndAsk(messages, { whenUnknown: 'drop' });
    expect(dropped.answer.status).toBe(200);
    expect(dropped.messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('AIS-25: so do thoughts that were changed', async () => {
    const edited = mapReplies(made.opus, (parts) =>
      parts.map((part) => (part.type === 'reasoning' ? { ...part, text: 'Something better.' } : part)),
    );
    expect((await ask(lab.model('claude', 'claude-opus-4-5'), edited, BUDGET)).error).toMatch(/cannot be modified/);
    const ensured = await ensureAndAsk(edited);
    expect(ensured.answer.status).toBe(200);
    expect(ensured.sent).not.toContain('Something better.');
  });

  it('AIS-26: signed thoughts without a stamp are taken on trust, and the report says so', async () => {
    const question = user('/sim think 1 /sim tools calculator');
    const { messages } = await ask(lab.model('claude', 'claude-opus-4-5'), [question], BUDGET);
    const ensured = await ensureAndAsk([question, ...messages]);
    expect(ensured.answer.status).toBe(200);
    expect(ensured.messages).toEqual([question, ...messages]);
    expect(reasonsOf(ensured)).toEqual(['thinking_unverified']);
  });

  it('AIS-27: what needs nothing comes back as it was', () => {
    const ensured = ensureThinkingBlocksInModelMessages(made.opus, { model: OPUS, providerOptions });
    expect(ensured.messages).toEqual(made.opus);
    expect(ensured.providerOptions).toEqual(providerOptions);
    expect(reasonsOf(ensured)).toEqual([]);
  });
});
