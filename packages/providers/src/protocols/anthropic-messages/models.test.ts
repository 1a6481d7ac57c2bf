import { describe, expect, it } from 'vitest';
import { anthropic } from '../../deployments/anthropic.ts';
import { CLAUDE_MODELS, readsThinkingOf } from './models.ts';
import { CONSERVATIVE, traitsOf } from './traits.ts';

const REQUEST = { method: 'POST', url: 'https://models.example', headers: {}, body: '{}' };

const reads = (reader: string, writer: string) =>
  readsThinkingOf(reader, traitsOf(anthropic.modelInfo(reader)), writer);

describe('the Claude catalogue', () => {
  it('ANT-M1: a snapshot is the model that it is a snapshot of, under its own name', () => {
    for (const id of ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20250929', 'claude-sonnet-4-5-latest']) {
      expect(anthropic.modelInfo(id)).toEqual({ ...anthropic.modelInfo('claude-sonnet-4-5'), id });
    }
    expect(traitsOf(anthropic.modelInfo('claude-opus-4-0'))).toBe(traitsOf(anthropic.modelInfo('claude-opus-4')));
  });

  it('ANT-M2: an unknown model works, with limits that every model keeps, and as if it bound its thinking', () => {
    const unknown = anthropic.modelInfo('claude-of-tomorrow');
    expect(unknown).toMatchObject({ known: false, bindsThinkingToPrefix: true });
    expect(traitsOf(unknown)).toBe(CONSERVATIVE);
    expect(traitsOf({ traits: { claude: { thinking: 'enabled' } } })).toBe(CONSERVATIVE);
  });

  it('ANT-M3: the models that check the prefix, and those that cannot stop thinking, say so', () => {
    const named = (test: (id: (typeof CLAUDE_MODELS)[number]) => boolean) =>
      CLAUDE_MODELS.filter(test).map(({ id }) => id.replace('claude-', ''));
    expect(named((model) => model.bindsThinkingToPrefix)).toEqual([
      'fable-5-2',
      'mythos-5-2',
      'fable-5-1',
      'mythos-5-1',
      'opus-5-5',
      'sonnet-5-5',
      'haiku-5-5',
    ]);
    expect(named((model) => model.alwaysThinks)).toEqual([
      'fable-5-2',
      'mythos-5-2',
      'fable-5-1',
      'mythos-5-1',
      'opus-5-5',
      'sonnet-5-5',
      'fable-5',
      'mythos-5',
    ]);
  });

  it('ANT-M4: who reads whose thinking', () => {
    for (const { id } of CLAUDE_MODELS) expect(reads(id, id)).toBe(true);
    expect(reads('claude-of-tomorrow', 'claude-of-tomorrow')).toBe(true);
    expect(reads('claude-sonnet-4-5', 'claude-sonnet-4-5-20250929')).toBe(true);
    expect(reads('claude-opus-5-5', 'claude-opus-5')).toBe(true);
    expect(reads('claude-opus-5-5', 'claude-sonnet-5-5')).toBe(true);
    expect(reads('claude-opus-5-5', 'claude-fable-5')).toBe(false);
    expect(reads('claude-sonnet-5-5', 'claude-opus-5')).toBe(false);
    expect(reads('claude-haiku-5-5', 'claude-haiku-4-5')).toBe(false);
    expect(reads('claude-opus-5', 'claude-opus-5-5')).toBe(false);
    expect(reads('claude-fable-5-1', 'claude-sonnet-5-5')).toBe(false);
    expect(reads('claude-fable-5-1', 'claude-mythos-5-1')).toBe(true);
  });

  it('ANT-M5: the deployment says how it is reached', () => {
    expect(anthropic.authorize('k', REQUEST)).toEqual({ 'x-api-key': 'k' });
    expect(anthropic.models.some(({ id }) => id === anthropic.defaultModel)).toBe(true);
    for (const { price } of anthropic.models) if (price) expect(price.output).toBeGreaterThan(price.input);
  });
});
