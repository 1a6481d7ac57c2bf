import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

const PATH = `
  u1 user: a
  a1 assistant gpt/five: Looking. [call c1 search {"q":"x"}] [call c2 search]
  t1 tool c1: found
  u2 user: b
  a2 assistant claude/opus: Done.
`;

describe('tools-as-text', () => {
  it('CX-13: before the break a call and its result become one sentence of the reply', () => {
    const context = assemble(PATH);
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      String.raw`canonical | assistant: "Looking.\n\n[Used the tool \"search\" with {\"q\":\"x\"}. It answered: found]\n\n[Used the tool \"search\" with {}. It answered: This tool call was not executed: it has no result.]"`,
      'canonical | user: "b"',
      'raw thinking | assistant: "Done."',
    ]);
    expect(reportOf(context)).toEqual([
      'u1: verbatim',
      'a1: canonical model_break tool_call_without_result tool_use_as_text',
      't1: canonical tool_use_as_text',
      'u2: verbatim',
      'a2: verbatim',
    ]);
  });

  it('CX-13: a result that came behind an interrupted reply goes where its call goes', () => {
    const context = assemble(`
      u1 user: a
      a1 assistant gpt/five: Looking. [call c1 search]
      a2 assistant gpt/five !interrupted: [think hm]
      t1 tool c1: found
      u2 user: b
    `);
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      String.raw`canonical | assistant: "Looking.\n\n[Used the tool \"search\" with {}. It answered: found]"`,
      'canonical | user: "b"',
    ]);
  });

  it('CX-14: with keepToolsAfterBreak calls and results stay structured', () => {
    const context = assemble(PATH, { keepToolsAfterBreak: true });
    expect(outline(context).slice(1, 4)).toEqual([
      'canonical answers:c1+c2 | assistant: "Looking." tool-use tool-use',
      'canonical | tool(c1): "found"',
      expect.stringContaining('synthetic error | tool(c2)'),
    ]);
  });

  it('CX-43: results that the new model goes on from stay structured, now and in every later request', () => {
    const open = 'u1 user: a\na1 assistant gpt/five: [call c1 search] [call c2 search]\nt1 tool c1: found';
    const loop = [
      'canonical | user: "a"',
      'canonical answers:c1+c2 | assistant: tool-use tool-use',
      'canonical | tool(c1): "found"',
      'canonical synthetic error | tool(c2): "This tool call was not executed: it has no result."',
    ];
    expect(outline(assemble(open))).toEqual(loop);
    const later = `${open}\na2 assistant claude/opus: Done.\nu2 user: b`;
    expect(outline(assemble(later)).slice(0, 4)).toEqual(loop);
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

  it('CX-13: sentences are paragraphs, whatever stands around them; texts that the provider cut stay joined', () => {
    const context = assemble(`
      u1 user: a
      a1 assistant gpt/five: One [think hm] [call c1 search] two
      t1 tool c1: found
      u2 user: b
    `);
    expect(outline(context)[1]).toBe(
      String.raw`canonical | assistant: "One\n\n[Used the tool \"search\" with {}. It answered: found]\n\ntwo"`,
    );
  });
});
