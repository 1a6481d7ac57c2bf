import { expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

it('CX-7: an error reply is left out and reported; the partial reply before it stays', () => {
  const context = assemble(`
    u1 user: a
    a1 assistant claude/opus !interrupted: half of
    a2 assistant claude/opus !error: The provider broke off.
    u2 user: b
  `);
  expect(outline(context)).toEqual([
    'canonical | user: "a"',
    'raw thinking partial | assistant: "half of"',
    'canonical | user: "b"',
  ]);
  expect(reportOf(context)).toEqual([
    'u1: verbatim',
    'a1: verbatim interrupted_reply',
    'a2: dropped error_reply',
    'u2: verbatim',
  ]);
});

it('CX-7: an error reply has one reason, although nothing of it was ever raw', () => {
  const context = assemble('u1 user: a\na1 assistant claude/opus !error: failed\nu2 user: b', { hasRaw: () => false });
  expect(reportOf(context)[1]).toBe('a1: dropped error_reply');
});
