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

  it('CX-16: a reply of nothing but thinking is dropped before the break', () => {
    const context = assemble('u1 user: a\na1 assistant gpt/five: [think hm]\nu2 user: b');
    expect(reportOf(context)[1]).toBe('a1: dropped model_break thinking_not_replayable');
  });
});
