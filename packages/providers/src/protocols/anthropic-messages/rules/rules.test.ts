import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../deployments/anthropic.ts';
import { preflight } from '../../../rulebook/rule.ts';
import { anthropicMessages } from '../index.ts';
import { assistant, CASES, contextOf, failingContext, user } from './cases.ts';
import { rules } from './index.ts';

describe('the rulebook of anthropic-messages', () => {
  it('has a case for every rule, and no id twice', () => {
    expect(rules.map((rule) => rule.id).sort()).toEqual(Object.keys(CASES).sort());
  });

  it.each(rules.map((rule) => [rule.id, rule] as const))('%s: passes and fails', (id, rule) => {
    const example = CASES[id];
    if (example === undefined) throw new Error(`no case for ${id}`);
    const context = contextOf(example);
    expect(rule.check(example.passes, context)).toEqual([]);
    const findings = rule.check(example.fails, failingContext(example));
    expect(findings[0]?.errorCode).toBe(example.code);
    expect(findings.map((finding) => finding.message).join('\n')).toContain(example.says);
    expect(findings[0]?.status).toBe(rule.kind === 'silent' ? 200 : (example.status ?? 400));
  });

  it.each(rules.map((rule) => [rule.id, rule] as const))('%s: a body that obeys it obeys all others too', (id) => {
    const example = CASES[id];
    if (example === undefined) throw new Error(`no case for ${id}`);
    expect(preflight(rules, example.passes, contextOf(example)).violations).toEqual([]);
  });

  it.each(rules.filter((rule) => rule.repair).map((rule) => [rule.id, rule] as const))(
    '%s: its repair heals',
    (id, rule) => {
      const example = CASES[id];
      if (example === undefined) throw new Error(`no case for ${id}`);
      const { body, violations } = preflight([rule], example.fails, contextOf(example));
      expect(violations.every((violation) => violation.repaired)).toBe(true);
      expect(rule.check(body, contextOf(example))).toEqual([]);
    },
  );

  it('never throws on garbage', () => {
    const garbage = [
      null,
      7,
      'x',
      [],
      {},
      { messages: 7 },
      { messages: [7, null, { role: 7 }, { role: 'user' }] },
      {
        messages: [user(7, null, {}, { type: 7 }, { type: 'tool_result' }), assistant({ type: 'tool_use' })],
        tools: [7, {}],
      },
      {
        messages: [user()],
        thinking: 7,
        output_config: [],
        tool_choice: 'auto',
        tools: {},
        system: 7,
        max_tokens: 'x',
      },
    ];
    for (const body of garbage) {
      expect(() => anthropicMessages.check(body, anthropic.modelInfo('claude-opus-5-5'), anthropic)).not.toThrow();
    }
    expect(anthropicMessages.check(null, anthropic.modelInfo('x'), anthropic)[0]?.rule).toBe('ANT-SHAPE-1');
  });
});
