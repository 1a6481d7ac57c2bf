import { describe, expect, it } from 'vitest';
import { nodeId } from '../../entities/index.ts';
import { assemble, reportOf } from '../testing.ts';

const TALK = `
  u1 user: one
  a1 assistant claude/opus: [call c1 search]
  t1 tool c1: found
  b1 assistant claude/opus: first
  u2 user: two
  b2 assistant claude/opus: second
  q user: summarise
  s assistant claude/opus: all of it
  u3 user: three
`;
const summary = [nodeId('q'), nodeId('s')];

describe('a summary', () => {
  it('CX-113: stands for everything before it, and the report says so', () => {
    const context = assemble(TALK, { summary });
    expect(context.items.flatMap(({ nodeIds }) => nodeIds)).toEqual(['q', 's', 'u3']);
    expect(reportOf(context).slice(0, 6)).toEqual(
      ['u1', 'a1', 't1', 'b1', 'u2', 'b2'].map((id) => `${id}: dropped compacted`),
    );
  });

  it('CX-113: turns with a pinned message follow it, whole and in their order', () => {
    const context = assemble(TALK, { summary, choices: { b1: 'pin' } });
    expect(context.items.flatMap(({ nodeIds }) => nodeIds)).toEqual(['q', 's', 'u1', 'a1', 't1', 'b1', 'u3']);
  });

  it('CX-113: instructions outlive it, and it cannot be left out', () => {
    const context = assemble(`i system: be terse\n${TALK}`, { summary, choices: { s: 'leave_out' } });
    expect(context.systemPrompt).toBe('be terse');
    expect(context.items.flatMap(({ nodeIds }) => nodeIds)).toEqual(['q', 's', 'u3']);
  });
});
