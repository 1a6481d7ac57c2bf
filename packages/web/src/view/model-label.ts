import type { ProviderView } from '@bough/api/client';

/**
 * A model's name as a list has room for it: its label up to what explains it, else its id without the vendor before it
 * and a date after it.
 */
export function modelLabel(providers: readonly ProviderView[], provider: string, model: string): string {
  const known = providers.find(({ id }) => id === provider)?.models.find(({ id }) => id === model);
  if (known !== undefined) return known.label.split(':')[0] ?? known.label;
  return (model.split('/').at(-1) ?? model).replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2})$/, '');
}

/** The first letter of a provider's name. */
export function providerLetter(providers: readonly ProviderView[], provider: string): string {
  const label = providers.find(({ id }) => id === provider)?.label ?? provider;
  return (/\p{L}|\p{N}/u.exec(label)?.[0] ?? '?').toLocaleUpperCase();
}
