import { expect, it } from 'vitest';
import { en } from '../i18n/en.ts';
import { createTranslator } from '../i18n/index.ts';
import { ageText } from './age-text.ts';

it('WEB-773: how long ago is told in the same words everywhere, and not at all where it is not known', () => {
  const t = createTranslator('en', en);
  const now = Date.parse('2026-11-18T12:00:00Z');
  expect(ageText('2026-11-18T11:59:40Z', now, t)).toBe('now');
  expect(ageText('2026-11-18T11:57:00Z', now, t)).toMatch(/^3\s?m.* ago$/);
  expect(ageText(new Date(0).toISOString(), now, t)).toBeNull();
});
