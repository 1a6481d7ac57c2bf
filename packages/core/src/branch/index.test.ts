import { describe, expect, it } from 'vitest';
import type { Envelope } from '../entities/index.ts';
import { UnknownIdError } from '../errors/index.ts';
import { BranchLockedError, checkBranchLock, isLockUsed, resolveBranchConfig } from './index.ts';

const source: Envelope = {
  provider: 'anthropic',
  model: 'claude-opus-5',
  systemPrompt: 'Be brief.',
  tools: ['calculator'],
  thinking: 'high',
};
const defaults: Envelope = { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'medium' };
const models: Record<string, string> = { anthropic: 'claude-sonnet-5', openai: 'gpt-5.6', simulated: 'sim-1' };
const defaultModelOf = (provider: string) => models[provider];
const resolve = (requested: Parameters<typeof resolveBranchConfig>[0]['requested'], from: Envelope | null = source) =>
  resolveBranchConfig({ source: from, requested, defaults, defaultModelOf });

describe('resolveBranchConfig', () => {
  it('BR-1: everything is inherited from the source', () => {
    expect(resolve({})).toEqual(source);
  });

  it('BR-2: what is asked for wins, and null takes the system prompt away', () => {
    const asked: Envelope = { provider: 'openai', model: 'gpt-5', systemPrompt: null, tools: [], thinking: 'off' };
    expect(resolve(asked)).toEqual(asked);
    expect(resolve({ thinking: { budgetTokens: 2048 } })).toEqual({ ...source, thinking: { budgetTokens: 2048 } });
  });

  it('BR-3: the source’s own provider without a model keeps the source’s model', () => {
    expect(resolve({ provider: 'anthropic' }).model).toBe('claude-opus-5');
  });

  it('BR-4: another provider without a model takes that provider’s default', () => {
    expect(resolve({ provider: 'openai' })).toMatchObject({
      provider: 'openai',
      model: 'gpt-5.6',
      systemPrompt: 'Be brief.',
    });
  });

  it('BR-5: a model without a provider stays with the source’s provider', () => {
    expect(resolve({ model: 'claude-haiku-5-5' })).toMatchObject({ provider: 'anthropic', model: 'claude-haiku-5-5' });
  });

  it('BR-6: without a source the configured defaults hold', () => {
    expect(resolve({}, null)).toEqual(defaults);
    expect(resolve({ provider: 'openai' }, null).model).toBe('gpt-5.6');
  });

  it('BR-11: limits of replies are inherited, changed where asked for, and absent where unset', () => {
    const limited = { ...source, maxTokens: 500, failEarly: true };
    expect(resolve({}, limited)).toEqual(limited);
    expect(resolve({ maxTokens: 900, failEarly: false }, limited)).toEqual({ ...source, maxTokens: 900 });
    expect(Object.keys(resolve({}))).not.toContain('maxTokens');
    expect(resolve({ maxTokens: 7 }).maxTokens).toBe(7);
  });

  it('BR-7: a provider that does not exist is an error', () => {
    expect(() => resolve({ provider: 'nobody' })).toThrow(UnknownIdError);
  });
});

describe('checkBranchLock', () => {
  const branch = { name: 'main', envelope: source };

  it.each([
    [{}],
    [{ provider: 'anthropic' }],
    [{ model: 'claude-opus-5' }],
    [{ provider: 'anthropic', model: 'claude-opus-5' }],
  ])('BR-8: naming the lock again is no mismatch: %j', (requested) => {
    expect(checkBranchLock(branch, requested)).toBeNull();
  });

  it.each([[{ provider: 'openai' }], [{ model: 'claude-opus-4-8' }], [{ provider: 'openai', model: 'claude-opus-5' }]])(
    'BR-9: anything else is a typed mismatch that tells to create a branch: %j',
    (requested) => {
      const mismatch = checkBranchLock(branch, requested);
      expect(mismatch).toBeInstanceOf(BranchLockedError);
      expect(mismatch).toMatchObject({
        code: 'branch_locked',
        locked: { provider: 'anthropic', model: 'claude-opus-5' },
        requested,
      });
      expect(mismatch?.message).toMatch(/create a branch/);
    },
  );

  it('BR-9: the mismatch says what was asked for, and nothing else of the request', () => {
    const request = { model: 'claude-opus-4-8', message: 'a secret' };
    expect(checkBranchLock(branch, request)?.requested).toEqual({ model: 'claude-opus-4-8' });
  });
});

describe('isLockUsed', () => {
  const lock = { provider: 'anthropic', model: 'claude-opus-5' };
  const reply = (provider: string | null, modelUsed: string | null) => ({
    role: 'assistant' as const,
    provider,
    modelUsed,
  });
  const user = { role: 'user' as const, provider: null, modelUsed: null };

  it.each([
    ['nothing', [], false],
    ['a message without a reply', [user], false],
    ['a reply of another model', [user, reply('anthropic', 'claude-opus-4-8')], false],
    ['the same model elsewhere', [user, reply('bedrock', 'claude-opus-5')], false],
    ['a reply of its own', [user, reply('anthropic', 'claude-opus-5'), user], true],
    ['a reply that names the model only', [user, reply(null, 'claude-opus-5')], true],
  ])('BR-10: %s', (_, path, used) => {
    expect(isLockUsed(lock, path, false)).toBe(used);
    expect(isLockUsed(lock, path, true)).toBe(used);
  });

  it('BR-10: a reply without a maker counts, unless the lock is a guess', () => {
    const path = [user, reply('anthropic', null)];
    expect(isLockUsed(lock, path, false)).toBe(true);
    expect(isLockUsed(lock, path, true)).toBe(false);
  });
});
