import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import { ContextTooLongError } from '../../../tokens/index.ts';
import { assembleContext } from '../../assemble.ts';
import { assemble, CLAUDE, reportOf } from '../../testing.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const turn = (n: number, size = 40) => `
  u${n} user: ${words(size)}
  a${n} assistant claude/opus: [call c${n} search]
  t${n} tool c${n}: ${words(size)}
  b${n} assistant claude/opus: ${words(size)}
`;
const talk = (turns: number) => Array.from({ length: turns }, (_, index) => turn(index + 1)).join('');
const kept = (turns: number, contextWindow: number, reserveTokens = 0) =>
  assembleContext(sketch(talk(turns)), { ...CLAUDE, limits: { contextWindow, maxOutputTokens: 10 }, reserveTokens })
    .report.filter((line) => line.fidelity !== 'dropped')
    .map((line) => line.nodeId);

describe('trim-to-window', () => {
  it('CX-26: what fits is not trimmed', () => {
    expect(kept(4, 100_000)).toHaveLength(16);
  });

  it('CX-27: whole turns go, oldest first, the newest stays, and each is reported', () => {
    const ids = kept(6, 600);
    expect(ids.length % 4).toBe(0);
    expect(ids.slice(-4)).toEqual(['u6', 'a6', 't6', 'b6']);
    expect(ids[0]).toMatch(/^u/);
    const context = assemble(talk(6), { limits: { contextWindow: 600, maxOutputTokens: 10 } });
    expect(reportOf(context)[0]).toBe('u1: dropped trimmed');
    expect(context.estimatedTokens).toBeLessThanOrEqual(600);
  });

  it('CX-28: the cut stays where it is while the conversation grows, until the window is full again', () => {
    const firsts = Array.from({ length: 30 }, (_, index) => kept(index + 1, 2000)[0]);
    const cuts = firsts.filter((first, index) => first !== firsts[index - 1]);
    expect(cuts.length).toBeGreaterThan(2);
    expect(cuts.length).toBeLessThan(firsts.length / 2);
  });

  it('CX-29: room for the answer, the system prompt and the tools is kept free', () => {
    expect(kept(6, 1200).length).toBeGreaterThan(kept(6, 1200, 700).length);
    const withPrompt = assemble(talk(6), {
      limits: { contextWindow: 1000, maxOutputTokens: 10 },
      systemPrompt: words(400),
    });
    expect(withPrompt.estimatedTokens).toBeLessThanOrEqual(1000);
  });

  it('CX-30: a newest turn that does not fit even alone is an error that says what to do', () => {
    const attempt = () => assemble(turn(1, 500), { limits: { contextWindow: 300, maxOutputTokens: 10 } });
    expect(attempt).toThrow(ContextTooLongError);
    expect(attempt).toThrow(/shorten/);
  });

  it('CX-73: a turn with a pinned message stays where it is, and says why', () => {
    const limits = { contextWindow: 600, maxOutputTokens: 10 };
    const context = assemble(talk(6), { limits, choices: { t1: 'pin' } });
    expect(reportOf(context).slice(0, 5)).toEqual([
      ...['u1', 'a1', 't1', 'b1'].map((id) => `${id}: verbatim pinned`),
      'u2: dropped trimmed',
    ]);
    expect(context.estimatedTokens).toBeLessThanOrEqual(600);
    expect(reportOf(assemble(talk(2), { choices: { t1: 'pin' } }))[0]).toBe('u1: verbatim');
  });

  it('CX-73: pins that leave no room for the newest turn are an error that says so', () => {
    const limits = { contextWindow: 600, maxOutputTokens: 10 };
    const choices = { u1: 'pin', u2: 'pin', u3: 'pin', u4: 'pin', u5: 'pin' } as const;
    expect(() => assemble(talk(6), { limits, choices })).toThrow(/unpin some/);
  });
});
