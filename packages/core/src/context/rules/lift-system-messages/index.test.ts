import { expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

it('CX-33: system messages on the path join the system prompt, in order, and are not reported as lost', () => {
  const context = assemble('s1 system: Be kind.\nu1 user: a\ns2 system: Be brief.', { systemPrompt: 'Be right.' });
  expect(context.systemPrompt).toBe('Be right.\n\nBe kind.\n\nBe brief.');
  expect(outline(context)).toEqual(['canonical | user: "a"']);
  expect(reportOf(context)).toEqual(['s1: verbatim', 'u1: verbatim', 's2: verbatim']);
});
