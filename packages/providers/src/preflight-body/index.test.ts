import { describe, expect, it } from 'vitest';
import { BUILT_IN_DEPLOYMENTS } from '../deployments/index.ts';
import { preflightBody } from './index.ts';

const deployment = (id: string) => BUILT_IN_DEPLOYMENTS.find((one) => one.id === id) ?? expect.unreachable();
const say = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });

/** For each protocol, a body that obeys its rulebook and one that breaks it in a way that can be repaired. */
const CASES = [
  {
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    good: { model: 'claude-opus-4-5', max_tokens: 100, messages: [say('hi')] },
    bad: { model: 'claude-opus-4-5', max_tokens: 100, messages: [say('hi'), say('')] },
    rule: 'ANT-TEXT-1',
  },
  {
    provider: 'openai_responses',
    model: 'gpt-5',
    good: { model: 'gpt-5', store: false, input: [{ role: 'user', content: 'hi' }] },
    bad: {
      model: 'gpt-5',
      store: false,
      input: [
        { role: 'user', content: 'hi' },
        { type: 'item_reference', id: 'rs_1' },
      ],
    },
    rule: 'OAR-REASON-4',
  },
  {
    provider: 'openai',
    model: 'gpt-4.1',
    good: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }] },
    bad: {
      model: 'gpt-4.1',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'tool', tool_call_id: 'nobody', content: 'x' },
      ],
    },
    rule: 'OAC-PAIR-2',
  },
  {
    provider: 'gemini',
    model: 'gemini-3.8-flash',
    good: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    bad: {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'hello' }] },
      ],
    },
    rule: 'GEM-ROLE-2',
  },
] as const;

describe.each(CASES)('$provider', ({ provider, model, good, bad, rule }) => {
  const target = { deployment: deployment(provider), model };

  it('PFB-1: a body that obeys comes back as the same object', () => {
    const { body, violations } = preflightBody(good, target);
    expect(violations.filter(({ kind }) => kind === 'rejection')).toEqual([]);
    expect(body).toBe(good);
  });

  it('PFB-2: a body that breaks a rule is repaired by that rule, and obeys then', () => {
    const { body, violations } = preflightBody(bad, target);
    expect(violations.find(({ repaired }) => repaired)?.rule).toBe(rule);
    expect(preflightBody(body, target).violations.filter(({ kind }) => kind === 'rejection')).toEqual([]);
  });

  it('PFB-3: a rule that is excepted is not looked at', () => {
    const { body, violations } = preflightBody(bad, { ...target, except: [rule] });
    expect(violations.map((found) => found.rule)).not.toContain(rule);
    expect(body).toBe(bad);
  });
});
