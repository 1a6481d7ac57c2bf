import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

const PATH = `
  u1 user: a
  a1 assistant gpt/five: Looking. [call c1 search {"q":"x"}] [call c2 search]
  t1 tool c1: found
  a2 assistant claude/opus: Done.
`;

describe('tools-as-text', () => {
  it('CX-13: before the break a call and its result become one sentence of the reply', () => {
    const context = assemble(PATH);
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      String.raw`canonical | assistant: "Looking." "[Used the tool \"search\" with {\"q\":\"x\"}. It answered: found]" "[Used the tool \"search\" with {}. It answered: This tool call was not executed: it has no result.]"`,
      'raw thinking | assistant: "Done."',
    ]);
    expect(reportOf(context)).toEqual([
      'u1: verbatim',
      'a1: canonical model_break tool_call_without_result tool_use_as_text',
      't1: canonical tool_use_as_text',
      'a2: verbatim',
    ]);
  });

  it('CX-14: with keepToolsAfterBreak calls and results stay structured', () => {
    const context = assemble(PATH, { keepToolsAfterBreak: true });
    expect(outline(context).slice(1, 4)).toEqual([
      'canonical answers:c1+c2 | assistant: "Looking." tool-use tool-use',
      'canonical | tool(c1): "found"',
      expect.stringContaining('synthetic | tool(c2)'),
    ]);
  });

  it('CX-15: behind the break, a reply whose raw is lost keeps its calls structured', () => {
    const context = assemble('u1 user: a\na1 assistant claude/opus: [think! hm] [call c1 search]\nt1 tool c1: found', {
      hasRaw: () => false,
    });
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      'canonical answers:c1 | assistant: tool-use',
      'canonical | tool(c1): "found"',
    ]);
    expect(reportOf(context)[1]).toBe('a1: canonical raw_missing thinking_not_replayable');
  });
});
