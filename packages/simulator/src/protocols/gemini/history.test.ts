import type { GeminiContent, GeminiPart } from '@bough/providers';
import { geminiTraitsOf } from '@bough/providers';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../world/index.ts';
import { streamedReply } from './chunks.ts';
import { checkHistory } from './history.ts';
import { playedDeployment } from './models.ts';
import { sign } from './signatures.ts';

const MODEL = 'sim-summary';
const world = createWorld({
  seed: 's',
  plan: () => ({ parts: [], stop: 'end_turn' }),
  note: () => undefined,
  now: () => 0,
});
const strict = geminiTraitsOf(playedDeployment().modelInfo(MODEL));

const call: GeminiPart = { functionCall: { name: 'f', args: { a: 1, b: [2] } } };
const signed = (part: GeminiPart): GeminiPart => ({ ...part, thoughtSignature: sign(world, MODEL, part, 'r') });
const user = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'model', parts });
const done = user({ functionResponse: { name: 'f', response: {} } });
const rules = (...contents: readonly GeminiContent[]) =>
  checkHistory({ contents }, MODEL, strict, world).map(({ rule, verdict }) => `${rule} ${verdict}`);

describe('the simulator’s own view of a Gemini history', () => {
  it('SIM-GEM-4: every step of the running turn shows its signature; earlier turns need not', () => {
    const ask = user({ text: 'hi' });
    expect(rules(ask, model(signed(call)), done, model(signed(call)), done)).toEqual([]);
    expect(rules(ask, model(call), done, model(signed(call)), done)).toEqual(['SIM-GEM-UNSIGNED rejected']);
    expect(rules(ask, model(call), done, model({ text: 'a' }), ask)).toEqual([]);
    expect(
      checkHistory({ contents: [ask, model(call), done] }, MODEL, { ...strict, requiresSignatures: false }, world),
    ).toEqual([]);
  });

  it('SIM-GEM-4: arguments in another order are the same arguments; other arguments are not', () => {
    const ask = user({ text: 'hi' });
    const { thoughtSignature = '' } = signed(call);
    const reordered = { functionCall: { name: 'f', args: { b: [2], a: 1 } }, thoughtSignature };
    const changed = { functionCall: { name: 'f', args: { a: 2, b: [2] } }, thoughtSignature };
    expect(rules(ask, model(reordered), done)).toEqual([]);
    expect(rules(ask, model(changed), done)).toEqual(['SIM-GEM-MOVED rejected']);
  });

  it('SIM-GEM-4: a thought under its signature is not shortened, and a text part carries no signature of a call', () => {
    const ask = user({ text: 'hi' });
    const thought = signed({ text: 'A long thought.', thought: true });
    expect(rules(ask, model(thought), ask)).toEqual([]);
    expect(rules(ask, model({ ...thought, text: 'A long' }), ask)).toEqual(['SIM-GEM-MOVED rejected']);
    expect(rules(ask, model({ text: 'a', thoughtSignature: signed(call).thoughtSignature ?? '' }), ask)).toEqual([
      'SIM-GEM-MOVED dropped',
    ]);
  });
});

describe('the pieces of a streamed reply', () => {
  it('SIM-GEM-1: no piece ends in the middle of a character', () => {
    const text = '👩‍👧'.repeat(100);
    const options = {
      model: MODEL,
      responseId: 'r',
      promptTokens: 1,
      cachedTokens: 0,
      thoughtTokens: 0,
      stop: 'end_turn',
    } as const;
    const chunks = streamedReply([{ text }], options).map((chunk) => JSON.stringify(chunk));
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.filter((chunk) => /\\ud[89a-f]/.test(chunk))).toEqual([]);
  });
});
