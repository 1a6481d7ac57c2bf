import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { Taken } from '../assembly.ts';
import { assemble, outline, reportOf } from '../testing.ts';

const RETURN = `
  u1 user: a
  a1 assistant claude/opus: [think! one] Looking. [call c1 search]
  t1 tool c1: found
  a2 assistant claude/opus: [think! two] Done.
  u2 user: b
  b1 assistant gpt/five: [think hm] Other words. [call c2 search]
  t2 tool c2: found too
  b2 assistant gpt/five: Done too.
  u3 user: c
`;

describe('ways', () => {
  it('CX-47: a model to which the conversation returns gets its own replies back, and the others as text', () => {
    const context = assemble(RETURN);
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      'raw thinking answers:c1 | assistant: thinking "Looking." tool-use',
      'canonical | tool(c1): "found"',
      'raw thinking | assistant: thinking "Done."',
      'canonical | user: "b"',
      String.raw`canonical | assistant: "Other words.\n\n[Used the tool \"search\" with {}. It answered: found too]" "Done too."`,
      'canonical | user: "c"',
    ]);
    expect(reportOf(context)).toEqual([
      'u1: verbatim',
      'a1: verbatim',
      't1: verbatim',
      'a2: verbatim',
      'u2: verbatim',
      'b1: canonical model_break tool_use_as_text thinking_not_replayable',
      't2: canonical tool_use_as_text',
      'b2: canonical model_break',
      'u3: verbatim',
    ]);
    expect(context.breakNodeId).toBe('b2');
  });

  it('CX-48: whoever answers next, what was sent before stays', () => {
    const whole = sketch(RETURN).map(({ id }) => id);
    const before = outline(assemble(RETURN.split('\n').slice(0, 6).join('\n')));
    expect(whole).toContain('b2');
    expect(outline(assemble(RETURN)).slice(0, before.length)).toEqual(before);
  });

  it.each<[Taken, string, string]>([
    ['all', 'raw thinking answers:c2 | assistant: thinking "Other words." tool-use', 'b1: verbatim'],
    ['reply', 'raw answers:c2 | assistant: thinking "Other words." tool-use', 'b1: canonical thinking_not_replayable'],
  ])('CX-49: a reply that another model takes as "%s" keeps its form and its calls', (taken, sent, reported) => {
    const context = assemble(RETURN, { takes: ({ provider }) => (provider === 'gpt' ? taken : 'text') });
    expect(outline(context)[5]).toBe(sent);
    expect(outline(context)[6]).toBe('canonical | tool(c2): "found too"');
    expect(reportOf(context)[5]).toBe(reported);
    expect(context.breakNodeId).toBe('b2');
  });

  it('CX-50: by break, everything up to the newest reply of another model is text', () => {
    const context = assemble(RETURN, { replayBy: 'break', takes: () => 'all' });
    expect(outline(context).filter((line) => line.startsWith('raw'))).toEqual([]);
    expect(reportOf(context)[1]).toBe('a1: canonical model_break tool_use_as_text thinking_not_replayable');
  });
});
