import { expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

it('CX-32: empty messages go, reported; an empty tool result and a raw reply stay', () => {
  const context = assemble(`
    u1 user:
    a0 assistant gpt/five:
    u2 user: a
    a1 assistant claude/opus: [call c1 search]
    t1 tool c1:
    a2 assistant claude/opus:
  `);
  expect(outline(context)).toEqual([
    'canonical | user: "a"',
    'raw thinking answers:c1 | assistant: tool-use',
    'canonical | tool(c1): ""',
    'raw thinking | assistant: ""',
  ]);
  expect(reportOf(context).slice(0, 2)).toEqual(['u1: dropped empty', 'a0: dropped model_break empty']);
});
