import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gemini as deployment } from '../../../deployments/gemini.ts';
import { preflight } from '../../../rulebook/rule.ts';
import { gemini } from '../index.ts';
import { readRequest } from '../schema.ts';
import { ask, call, CASES, contextFor, declare, done, model, NEW, OLD, PRO, signed, user } from './cases.ts';
import { GEMINI_RULES } from './index.ts';

describe('the rulebook of gemini', () => {
  it('GEM-18: every rule has an id of its own, a sentence, a reference and a case below', () => {
    expect(GEMINI_RULES.map((rule) => rule.id).sort()).toEqual(Object.keys(CASES).sort());
    for (const rule of GEMINI_RULES) {
      expect(rule.title).toMatch(/\.$/);
      expect(rule.reference).toMatch(/^https:\/\//);
    }
  });

  it.each(GEMINI_RULES.map((rule) => [rule.id, rule.title, rule] as const))('%s passes: %s', (id, _, rule) => {
    const example = CASES[id];
    if (example === undefined) throw new Error(`${id} has no case.`);
    const context = contextFor(example);
    expect(rule.check(readRequest(example.good), context)).toEqual([]);
    // A good example must satisfy every rule, not only its own.
    const { violations } = preflight(GEMINI_RULES, readRequest(example.good), context);
    expect(violations.filter(({ kind }) => kind === 'rejection')).toEqual([]);
  });

  it.each(GEMINI_RULES.map((rule) => [rule.id, rule.title, rule] as const))('%s fails: %s', (id, _, rule) => {
    const example = CASES[id];
    if (example === undefined) throw new Error(`${id} has no case.`);
    const context = contextFor(example);
    const findings = rule.check(readRequest(example.bad), context);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings[0]?.message).toContain(example.says ?? '');
    expect(findings[0]?.status).toBe(400);
    expect(rule.repair !== undefined).toBe(example.healed !== undefined);
    if (rule.repair === undefined) return;
    const healed = rule.repair(readRequest(example.bad), context);
    expect(healed.request).toEqual(example.healed);
    expect(rule.check(healed, context)).toEqual([]);
  });

  it('GEM-18: Gemini 2.5 demands no signatures and lets a request end with the model', () => {
    const body = { contents: [ask, model(call()), user(done()), model({ text: 'a' })] };
    expect(gemini.check(body, deployment.modelInfo(OLD), deployment)).toEqual([]);
  });

  it('GEM-18: names in snake case, single values for lists and numbers as text are read as the API reads them', () => {
    const body = {
      contents: { parts: { function_call: { name: 'f' }, thought_signature: 'c2ln' }, role: 'model' },
      generation_config: { thinking_config: { thinking_budget: '52428' } },
    };
    const rules = gemini.check(body, deployment.modelInfo(OLD), deployment).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['GEM-PAIR-1', 'GEM-PAIR-3', 'GEM-THINK-6']));
    expect(rules).not.toContain('GEM-SHAPE-1');
  });

  it('GEM-18: check never throws, whatever it is given', () => {
    const models = [NEW, OLD, PRO, 'unheard-of'].map(deployment.modelInfo);
    const part = fc.dictionary(
      fc.constantFrom('text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'other'),
      fc.oneof(fc.jsonValue(), fc.record({ name: fc.jsonValue(), id: fc.jsonValue(), args: fc.jsonValue() })),
    );
    const content = fc.record({
      role: fc.oneof(fc.constantFrom('user', 'model'), fc.jsonValue()),
      parts: fc.array(fc.oneof(part, fc.jsonValue())),
    });
    const settings = fc.record({
      thinkingConfig: fc.dictionary(
        fc.constantFrom('thinkingLevel', 'thinkingBudget', 'includeThoughts'),
        fc.oneof(fc.integer(), fc.jsonValue()),
      ),
    });
    const body = fc.record(
      {
        contents: fc.oneof(fc.array(fc.oneof(content, fc.jsonValue())), fc.jsonValue()),
        tools: fc.jsonValue(),
        generationConfig: fc.oneof(settings, fc.jsonValue()),
        toolConfig: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue(), fc.anything()), fc.constantFrom(...models), (value, info) => {
        for (const violation of gemini.check(value, info, deployment)) expect(violation.repaired).toBe(false);
      }),
      { numRuns: 500, seed: 20_261_115 },
    );
  });

  it('GEM-18: neither depth nor length makes check throw', () => {
    let schema: unknown = { type: 'STRING' };
    for (let depth = 0; depth < 5000; depth += 1) schema = { type: 'ARRAY', items: schema };
    const deep = gemini.check(declare({ name: 'f', parameters: schema }), deployment.modelInfo(NEW), deployment);
    expect(deep.map(({ rule }) => rule)).toContain('GEM-SHAPE-2');
    const long = { contents: [ask, model(signed()), ...Array.from({ length: 5000 }, () => user(done()))] };
    expect(gemini.check(long, deployment.modelInfo(NEW), deployment).map(({ rule }) => rule)).toContain('GEM-PAIR-3');
  });

  it('GEM-18: after its repairs a body breaks no rule that can be repaired', () => {
    const part = fc.constantFrom<unknown>(
      { text: 'a' },
      {},
      { text: '', thoughtSignature: 'c2ln' },
      call('f', '1'),
      signed('g', '2'),
      done('f', '1'),
      done('g'),
      { text: 'x', foreign: 1 },
      { text: 'y', thoughtSignature: '?' },
    );
    const content = fc.record({ role: fc.constantFrom('user', 'model'), parts: fc.array(part, { maxLength: 4 }) });
    const repairable = new Set(GEMINI_RULES.filter((rule) => rule.repair !== undefined).map((rule) => rule.id));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 6 }), (contents) => {
        const context = contextFor({ good: null, bad: null });
        const { body } = preflight(GEMINI_RULES, readRequest({ contents }), context);
        const left = preflight(GEMINI_RULES, readRequest(JSON.parse(JSON.stringify(body.request))), context).violations;
        expect(left.filter(({ rule }) => repairable.has(rule))).toEqual([]);
      }),
      { numRuns: 500, seed: 20_261_115 },
    );
  });
});
