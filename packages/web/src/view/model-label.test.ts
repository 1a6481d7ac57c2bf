import type { ProviderView } from '@bough/api/client';
import { expect, it } from 'vitest';
import { modelLabel, providerLetter } from './model-label.ts';

const providers = [
  { id: 'p', label: '(Some) provider', models: [{ id: 'm', label: 'Thinker: thinks before it speaks' }] },
] as unknown as readonly ProviderView[];

it('WEB-120: a model has a short name, whether it is listed or not', () => {
  expect(modelLabel(providers, 'p', 'm')).toBe('Thinker');
  expect(modelLabel(providers, 'p', 'vendor/model-large-20260101')).toBe('model-large');
  expect(modelLabel([], 'x', 'model-2026-01-01')).toBe('model');
  expect(providerLetter(providers, 'p')).toBe('S');
  expect(providerLetter([], 'ollama')).toBe('O');
});
