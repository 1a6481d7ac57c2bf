import { sketch } from '@bough/testkit';
import { expect, it } from 'vitest';
import { assembleContext } from '../../assemble.ts';
import { assemble, CLAUDE, outline, reportOf } from '../../testing.ts';

it('CX-33: system messages on the path join the system prompt, in order, and are not reported as lost', () => {
  const context = assemble('s1 system: Be kind.\nu1 user: a\ns2 system: Be brief.', { systemPrompt: 'Be right.' });
  expect(context.systemPrompt).toBe('Be right.\n\nBe kind.\n\nBe brief.');
  expect(outline(context)).toEqual(['canonical | user: "a"']);
  expect(reportOf(context)).toEqual(['s1: verbatim', 'u1: verbatim', 's2: verbatim']);
});

it('CX-53: a model that takes them there gets later ones where they are; those at the beginning are the prompt', () => {
  const path = 's1 system: Be kind.\nu1 user: a\na1 assistant claude/opus: b\ns2 system: Be brief.\nu2 user: c';
  const context = assemble(path, { systemPrompt: 'Be right.', systemInPlace: true });
  expect(context.systemPrompt).toBe('Be right.\n\nBe kind.');
  expect(outline(context)).toEqual([
    'canonical | user: "a"',
    'raw thinking | assistant: "b"',
    'canonical | system: "Be brief."',
    'canonical | user: "c"',
  ]);
});

it('CX-53: one between a call and its results follows the results', () => {
  const path = 'u1 user: a\na1 assistant claude/opus: [call c1 search]\ns1 system: Be brief.\nt1 tool c1: found';
  expect(outline(assemble(path, { systemInPlace: true }))).toEqual([
    'canonical | user: "a"',
    'raw thinking answers:c1 | assistant: tool-use',
    'canonical | tool(c1): "found"',
    'canonical | system: "Be brief."',
  ]);
});

it('CX-54: instructions appended to a conversation keep all bound thinking before them', () => {
  const options = { systemInPlace: true, bindsThinkingToPrefix: true };
  const before = 'u1 user: a\na1 assistant claude/opus: [think! one] b';
  const { madeWith } = assemble('u1 user: a', options);
  const path = sketch(`${before}\ns1 system: Be brief.\nu2 user: c`).map((node) =>
    node.id === 'a1' ? { ...node, madeWith } : node,
  );
  const sent = (inPlace: boolean) => assembleContext(path, { ...CLAUDE, ...options, systemInPlace: inPlace }).items[1];
  expect(sent(true)?.reasoning).toBe('verbatim');
  expect(sent(false)?.reasoning).toBe('omit');
});

it('CX-55: instructions outlive the turn that they were given in: trimmed with it, they join the prompt', () => {
  const long = 'word '.repeat(300);
  const path = `u1 user: ${long}\na1 assistant claude/opus: b\ns1 system: Be brief.\nu2 user: c\na2 assistant claude/opus: d\nu3 user: e`;
  const limits = { contextWindow: 200, maxOutputTokens: 10 };
  const context = assemble(path, { systemInPlace: true, limits });
  expect(context.systemPrompt).toBe('Be brief.');
  expect(reportOf(context)[0]).toBe('u1: dropped trimmed');
  expect(reportOf(context)[2]).toBe('s1: verbatim');
});
