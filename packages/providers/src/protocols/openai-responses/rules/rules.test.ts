import { describe, expect, test } from 'vitest';
import { preflight } from '../../../rulebook/rule.ts';
import { call } from '../testing.ts';
import {
  added,
  ask,
  CASES,
  contextOf,
  namelessCall,
  OPENAI,
  stateless,
  sum,
  thought,
  withParameters,
} from './cases.ts';
import { check, ruleContext, RULES } from './index.ts';

const ruleOf = (id: string): (typeof RULES)[number] => {
  const rule = RULES.find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return rule;
};

describe('the rulebook', () => {
  test('every rule has a name of its own, a reference, and a case below', () => {
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(RULES.every(({ reference }) => reference.startsWith('https://'))).toBe(true);
    expect(ids.toSorted()).toEqual([...new Set(CASES.map(({ rule }) => rule))].toSorted());
  });

  test.each(CASES.map((entry) => [`${entry.rule}: ${ruleOf(entry.rule).title}`, entry] as const))('%s', (_, entry) => {
    const rule = ruleOf(entry.rule);
    const context = contextOf(entry);
    for (const body of entry.pass) expect(rule.check(body, context)).toEqual([]);
    const findings = rule.check(entry.fail, context);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings[0]?.message).toMatch(entry.message);
    expect(findings[0]?.status).toBe(rule.kind === 'silent' ? 200 : rule.id === 'OAR-REASON-4' ? 404 : 400);
  });

  test.each(CASES.filter(({ rule }) => ruleOf(rule).repair !== undefined).map((entry) => [entry.rule, entry] as const))(
    '%s: its repair heals, and breaks no other rule',
    (_, entry) => {
      const context = contextOf(entry);
      const { body, violations } = preflight(RULES, entry.fail, context);
      expect(violations.find(({ rule }) => rule === entry.rule)?.repaired).toBe(true);
      const left = RULES.filter(({ kind }) => kind === 'rejection').flatMap((rule) => rule.check(body, context));
      expect(left).toEqual([]);
    },
  );

  test('OAR-PAIR-1: a dropped call takes the reasoning that led to it along, and the ids of its siblings', () => {
    const other = call('d', 'mul', '{}');
    const product = { ...sum, call_id: 'call_d' };
    const { body } = preflight(
      RULES,
      stateless(ask, thought, added, other, product),
      contextOf({ rule: '', pass: [], fail: {}, message: /x/ }),
    );
    expect(body['input']).toEqual([
      ask,
      { type: 'function_call', call_id: 'call_d', name: 'mul', arguments: '{}' },
      product,
    ]);
  });

  test('OAR-REASON-2: a server of open weights reads plain reasoning and looks at no id', () => {
    const open = { ...OPENAI, quirks: { dialect: 'open' } };
    const item = { id: 'fa6f-3a83', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] };
    expect(check(stateless(ask, item, namelessCall, sum), OPENAI.modelInfo('gpt-oss-20b'), open)).toEqual([]);
  });

  test('an unknown model is not judged by parameters that nobody knows of it', () => {
    const body = withParameters({ reasoning: { effort: 'max', context: 'all_turns' }, temperature: 1 });
    expect(check(body, OPENAI.modelInfo('model-of-tomorrow'), OPENAI)).toEqual([]);
  });
});

describe('check', () => {
  const garbage: readonly unknown[] = [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { input: 7 },
    { input: [null, 3, 'x', [], {}] },
    { input: [{ type: 9, id: 9, call_id: {}, content: 7, role: [] }] },
    { input: [{ type: 'message', role: 'user', content: [null, {}, { type: 'input_text' }] }] },
    { input: [{ type: 'reasoning', summary: 'x', content: 'y', encrypted_content: 3, id: '' }] },
    { model: 3, tools: [null, { type: 'function' }, 7], reasoning: 'x', include: 'x', max_output_tokens: 'x' },
    { tools: { a: 1 }, reasoning: { effort: {}, context: 3 }, store: 'no', previous_response_id: 4 },
  ];

  test.each(garbage.map((body) => [JSON.stringify(body), body] as const))('OAR-Q12: never throws on %s', (_, body) => {
    const violations = check(body, OPENAI.modelInfo('gpt-5.5'), OPENAI);
    expect(violations.some(({ kind }) => kind === 'rejection')).toBe(true);
    const context = ruleContext(OPENAI.modelInfo('gpt-5.5'), OPENAI);
    expect(() => preflight(RULES, typeof body === 'object' && body !== null ? { ...body } : {}, context)).not.toThrow();
  });
});
