import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../testing.ts';

const TALK = `
  u1 user: one
  a1 assistant claude/opus: [call c1 search]
  t1 tool c1: found
  b1 assistant claude/opus: first
  u2 user: two
  b2 assistant claude/opus: second
  u3 user: three
`;

describe('what a person left out', () => {
  it('CX-70: is not sent, and says so', () => {
    const context = assemble(TALK, { choices: { u2: 'leave_out', b2: 'leave_out' } });
    expect(reportOf(context).slice(4)).toEqual(['u2: dropped left_out', 'b2: dropped left_out', 'u3: verbatim']);
    expect(outline(context).join('\n')).not.toMatch(/two|second/);
    expect(context.report[4]?.estimatedTokens).toBe(0);
  });

  it('CX-70: a reply takes the results of its calls along', () => {
    const context = assemble(TALK, { choices: { a1: 'leave_out' } });
    expect(reportOf(context).slice(1, 4)).toEqual(['a1: dropped left_out', 't1: dropped left_out', 'b1: verbatim']);
  });

  it('CX-70: instructions stay, whatever was chosen about them', () => {
    const context = assemble(`s1 system: be terse\n${TALK}`, { choices: { s1: 'leave_out' } });
    expect(context.systemPrompt).toBe('be terse');
  });

  it('CX-71: a result on its own becomes a sentence, and its call stays', () => {
    const context = assemble(TALK, { choices: { t1: 'leave_out' } });
    expect(outline(context)[2]).toBe('canonical synthetic | tool(c1): "[The result was left out.]"');
    expect(reportOf(context)[2]).toBe('t1: canonical result_left_out');
    expect(outline(context)[1]).toContain('answers:c1');
  });

  it('CX-72: what follows is as if it had been deleted, and what precedes keeps its prefix', () => {
    const whole = assemble(TALK);
    const without = assemble(TALK, { choices: { u2: 'leave_out', b2: 'leave_out' } });
    const deleted = assemble(TALK.replace(/ +u2.*\n/, '').replace(/ +b2.*\n/, ''));
    expect(without.madeWith).toEqual(deleted.madeWith);
    expect(without.madeWith).not.toEqual(whole.madeWith);
    expect(without.prefixes.get(b1(without))).toBe(whole.prefixes.get(b1(whole)));
    expect(assemble(TALK, { choices: { t1: 'leave_out' } }).madeWith).not.toEqual(whole.madeWith);
  });
});

const b1 = ({ report }: ReturnType<typeof assemble>) => {
  const line = report.find(({ nodeId }) => nodeId === 'b1');
  if (line === undefined) throw new Error('b1 is on the path');
  return line.nodeId;
};
