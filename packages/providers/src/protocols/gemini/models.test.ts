import { describe, expect, it } from 'vitest';
import { gemini as deployment } from '../../deployments/gemini.ts';
import { CAUTIOUS_TRAITS, traitsOf } from './traits.ts';

describe('gemini models', () => {
  it('GEM-20: every listed model declares its traits, and reading them back gives the same', () => {
    expect(deployment.models.map((model) => model.id)).toContain(deployment.defaultModel);
    for (const model of deployment.models) {
      expect(traitsOf(model)).toEqual(model.traits);
      expect(model.known).toBe(true);
    }
  });

  it('GEM-20: a model that is not listed works: by its version where the name tells it, with care where it does not', () => {
    expect(traitsOf(deployment.modelInfo('gemini-2.0-flash')).requiresSignatures).toBe(false);
    expect(traitsOf(deployment.modelInfo('gemini-3-pro-preview'))).toMatchObject({
      requiresSignatures: true,
      refusesModelEnding: false,
    });
    expect(traitsOf(deployment.modelInfo('gemini-5-flash'))).toMatchObject({
      requiresSignatures: true,
      refusesModelEnding: true,
    });
    expect(traitsOf(deployment.modelInfo('sim-thinker'))).toEqual(CAUTIOUS_TRAITS);
    expect(deployment.modelInfo('gemini-5-flash').known).toBe(false);
    expect(deployment.modelInfo('gemini-2.5-flash-20260101')).toMatchObject({
      known: true,
      id: 'gemini-2.5-flash-20260101',
    });
  });

  it('GEM-20: traits of another shape are read with care', () => {
    expect(traitsOf({ traits: {} })).toEqual(CAUTIOUS_TRAITS);
    expect(traitsOf({ traits: { thinking: { by: 'level', levels: ['deep'] } } }).thinking).toEqual({ by: 'none' });
    expect(traitsOf({ traits: { thinking: { by: 'budget' } } }).thinking).toEqual({ by: 'none' });
  });
});
