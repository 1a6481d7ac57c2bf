import { expect, it } from 'vitest';
import { en } from '../i18n/en.ts';
import { createTranslator } from '../i18n/index.ts';
import { thinkingText } from './thinking-text.ts';

it('WEB-770: a budget for thinking is told in tokens, a level by its name', () => {
  const t = createTranslator('en', en);
  expect(thinkingText({ budgetTokens: 2_000 }, t)).toBe('2,000 tokens');
  expect(thinkingText('high', t)).toBe('High');
});
