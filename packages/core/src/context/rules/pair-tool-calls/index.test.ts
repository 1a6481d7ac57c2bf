import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

describe('pair-tool-calls', () => {
  it('CX-10: results stand behind their reply in the order of the calls, each once', () => {
    const context = assemble(`
      a1 assistant claude/opus: [call c1 search] [call c2 search]
      t2 tool c2: two
      t1 tool c1: one
      t3 tool c1: again
    `);
    expect(outline(context)).toEqual([
      'raw thinking answers:c1+c2 | assistant: tool-use tool-use',
      'canonical | tool(c1): "one"',
      'canonical | tool(c2): "two"',
    ]);
    expect(reportOf(context)).toContain('t3: dropped tool_result_without_call');
  });

  it('CX-11: a call without a result gets an error result and is reported', () => {
    const context = assemble(`
      u1 user: a
      a1 assistant claude/opus: [call c1 search] [call c2 search]
      t1 tool c1: one
      u2 user: b
    `);
    expect(outline(context)[3]).toMatch(/^canonical synthetic error \| tool\(c2\): "This tool call was not executed/);
    expect(outline(context)[4]).toBe('canonical | user: "b"');
    expect(reportOf(context)[1]).toBe('a1: verbatim tool_call_without_result');
  });

  it('CX-44: a result that reports a failure says so, and no other item does', () => {
    const context = assemble(`
      a1 assistant claude/opus: [call c1 search] [call c2 search] [call c3 search]
      t1 tool c1 !error: out of order
      t2 tool c2: two
      u1 user: a
    `);
    expect(context.items.map(({ isError }) => isError ?? false)).toEqual([false, true, false, true, false]);
    expect(outline(context)[1]).toBe('canonical error | tool(c1): "out of order"');
  });

  it('CX-12: a result without a call is dropped and reported, wherever it stands', () => {
    const context = assemble(`
      t0 tool c0: first
      u1 user: a
      t1 tool c1: behind a user
      a1 assistant claude/opus: b
      t2 tool c2: behind a reply without calls
    `);
    expect(outline(context)).toEqual(['canonical | user: "a"', 'raw thinking | assistant: "b"']);
    expect(reportOf(context).filter((line) => line.includes('tool_result_without_call'))).toHaveLength(3);
  });

  it('CX-10: the same call id in two replies is answered by the result behind each', () => {
    const context = assemble(`
      a1 assistant claude/opus: [call c1 search]
      t1 tool c1: one
      a2 assistant claude/opus: [call c1 search]
      t2 tool c1: two
    `);
    expect(outline(context).filter((line) => line.includes('tool('))).toEqual([
      'canonical | tool(c1): "one"',
      'canonical | tool(c1): "two"',
    ]);
  });
});
