import { expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

it('CX-31: neighbours of one role that are nothing but text are joined; raw replies and tools never are', () => {
  const context = assemble(`
    u1 user: a
    u2 user: b
    a1 assistant claude/opus: c
    a2 assistant claude/opus: d
  `);
  expect(outline(context)).toEqual([
    'canonical | user: "a" "b"',
    'raw thinking | assistant: "c"',
    'raw thinking | assistant: "d"',
  ]);
  expect(context.items[0]?.nodeIds).toEqual(['u1', 'u2']);
  expect(reportOf(context)).toEqual(['u1: verbatim', 'u2: verbatim', 'a1: verbatim', 'a2: verbatim']);
});
