import { describe, expect, it } from 'vitest';
import { assemble, outline, reportOf } from '../../testing.ts';

describe('thinking-on-request', () => {
  it('CX-16: before the break thinking stays out and is reported', () => {
    const context = assemble('u1 user: a\na1 assistant gpt/five: [think hm] [redacted] [signature] Yes.\nu2 user: b');
    expect(outline(context)[1]).toBe('canonical | assistant: "Yes."');
    expect(reportOf(context)[1]).toBe('a1: canonical model_break thinking_not_replayable');
  });

  it('CX-17: where the user asked for it, it goes as labelled text', () => {
    const context = assemble('u1 user: a\na1 assistant gpt/five !include: [think hm] Yes.\nu2 user: b');
    expect(outline(context)[1]).toMatch(/^canonical \| assistant: "\[Reasoning from earlier.*\\nhm\\n.*" "Yes\."$/);
    expect(reportOf(context)[1]).toBe('a1: canonical model_break thinking_included_as_text');
  });

  it('CX-18: thinking that goes back as itself is not sent a second time as text', () => {
    const context = assemble('u1 user: a\na1 assistant claude/opus !include: [think! hm] Yes.');
    expect(outline(context)[1]).toBe('raw thinking | assistant: thinking "Yes."');
    expect(reportOf(context)[1]).toBe('a1: verbatim');
  });

  it('CX-19: to a provider that takes no thinking back, the text stands in front of the raw reply', () => {
    const context = assemble('u1 user: a\na1 assistant claude/opus !include: [think! hm] Yes.', {
      replaysThinking: false,
    });
    expect(outline(context)[1]).toMatch(/^canonical synthetic \| assistant: "\[Reasoning/);
    expect(outline(context)[2]).toBe('raw thinking | assistant: thinking "Yes."');
  });

  it.each<[string, Parameters<typeof assemble>, string | undefined]>([
    ['goes back by itself', ['u1 user: a\na1 assistant claude/opus: [think! hm] Yes.\nu2 user: b'], 'goes_back'],
    [
      'goes back by itself, asked for or not',
      ['u1 user: a\na1 assistant claude/opus !include: [think! hm] Yes.\nu2 user: b'],
      'goes_back',
    ],
    ['stays out and could be told', ['u1 user: a\na1 assistant gpt/five: [think hm] Yes.\nu2 user: b'], 'left_out'],
    ['is told', ['u1 user: a\na1 assistant gpt/five !include: [think hm] Yes.\nu2 user: b'], 'as_text'],
    [
      'stays out where the model takes none back',
      ['u1 user: a\na1 assistant claude/opus: [think! hm] Yes.\nu2 user: b', { replaysThinking: false }],
      'left_out',
    ],
    ['is all there is of a reply', ['u1 user: a\na1 assistant gpt/five: [think hm]\nu2 user: b'], 'left_out'],
    ['is none', ['u1 user: a\na1 assistant gpt/five: Yes.\nu2 user: b'], undefined],
    ['cannot be read', ['u1 user: a\na1 assistant gpt/five: [redacted] Yes.\nu2 user: b'], undefined],
  ])('CX-58: the report says what becomes of reasoning that %s', (_, given, expected) => {
    expect(assemble(...given).report[1]?.reasoning).toBe(expected);
  });

  it('CX-58: reasoning that lost its place in a bound prefix is left out, and the report says so', () => {
    const context = assemble('u1 user: a\na1 assistant claude/opus: [think! hm] Yes.\nu2 user: b', {
      bindsThinkingToPrefix: true,
    });
    expect(context.report[1]?.reasoning).toBe('left_out');
  });

  it('CX-16: a reply of nothing but thinking is dropped before the break', () => {
    const context = assemble('u1 user: a\na1 assistant gpt/five: [think hm]\nu2 user: b');
    expect(reportOf(context)[1]).toBe('a1: dropped model_break thinking_not_replayable');
  });
});
