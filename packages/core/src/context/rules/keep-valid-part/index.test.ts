import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

describe('keep-valid-part', () => {
  it('CX-8: of an interrupted reply only signed thinking, texts and answered calls go back', () => {
    const context = assemble(`
      u1 user: a
      a1 assistant claude/opus !interrupted: [think! whole] Text [custom incomplete_tool_use] [call c1 search] [call c2 search] [think cut]
      t1 tool c1: found
      u2 user: b
    `);
    expect(outline(context)).toEqual([
      'canonical | user: "a"',
      'raw thinking partial answers:c1 | assistant: thinking "Text" tool-use',
      'canonical | tool(c1): "found"',
      'canonical | user: "b"',
    ]);
    expect(reportOf(context)[1]).toBe('a1: verbatim interrupted_reply');
  });

  it.each([
    ['nothing but unsigned thinking', '[think cut]'],
    ['nothing but signed thinking', '[think! whole]'],
    ['nothing but a call that was not executed', '[call c1 search]'],
    ['nothing at all', ''],
  ])('CX-9: an interrupted reply of %s is dropped', (_, content) => {
    const context = assemble(`
      u1 user: a
      a1 assistant claude/opus !interrupted: ${content}
      u2 user: b
    `);
    expect(outline(context)).toEqual(['canonical | user: "a" "b"']);
    expect(reportOf(context)[1]).toBe('a1: dropped interrupted_reply');
  });
});
