import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import { buildCanonicalMask } from './index.ts';

const lock = { provider: 'claude', model: 'opus' };
const canonical = (text: string, lockOf?: Parameters<typeof buildCanonicalMask>[2]) => {
  const path = sketch(text);
  const mask = buildCanonicalMask(path, lock, lockOf);
  return path.filter((_, index) => mask.canonical[index]).map((node) => node.id);
};

describe('buildCanonicalMask', () => {
  it('CX-1: without a foreign reply nothing is canonical', () => {
    const path = 'u1 user: a\na1 assistant claude/opus: b\nu2 user: c';
    expect(canonical(path)).toEqual([]);
    expect(buildCanonicalMask(sketch(path), lock).breakIndex).toBe(-1);
    expect(buildCanonicalMask([], lock)).toEqual({ canonical: [], breakIndex: -1 });
  });

  it('CX-2: the newest reply of another model is the break: it and everything before it are canonical', () => {
    expect(
      canonical(`
        u1 user: a
        a1 assistant claude/opus: b
        u2 user: c
        a2 assistant claude/sonnet: d
        u3 user: e
        a3 assistant claude/opus: f
      `),
    ).toEqual(['u1', 'a1', 'u2', 'a2']);
  });

  it('CX-2: another provider with the same model name is another model', () => {
    expect(canonical('u1 user: a\na1 assistant proxy/opus: b')).toEqual(['u1', 'a1']);
  });

  it('CX-2: a break at the very first and at the very last node', () => {
    expect(canonical('a1 assistant gpt/five: hi\nu1 user: a\na2 assistant claude/opus: b')).toEqual(['a1']);
    expect(canonical('u1 user: a\na1 assistant claude/opus: b\nu2 user: c\na2 assistant gpt/five: d')).toHaveLength(4);
  });

  it('CX-3: the results of the break’s own calls are canonical too, so that a tool loop is not torn apart', () => {
    expect(
      canonical(`
        u1 user: a
        a1 assistant gpt/five: [call c1 search] [call c2 search]
        t1 tool c1: one
        t2 tool c2: two
        a2 assistant claude/opus: [call c1 search]
        t3 tool c1: three
      `),
    ).toEqual(['u1', 'a1', 't1', 't2']);
  });

  it('CX-3: a stray result among them does not tear it apart either', () => {
    expect(
      canonical(`
        u1 user: a
        a1 assistant gpt/five: [call c1 search]
        t0 tool c9: a stray
        t1 tool c1: one
      `),
    ).toEqual(['u1', 'a1', 't1']);
  });

  it('CX-4: a reply without provider information is canonical itself, but no break', () => {
    expect(
      canonical(`
        u1 user: a
        a1 assistant claude/opus: b
        u2 user: c
        a2 assistant: imported
        u3 user: d
      `),
    ).toEqual(['a2']);
  });

  it('CX-5: the lock of the branch that a node was made on stands in for what the node does not say', () => {
    const path = 'u1 user: a\na1 assistant branch=old: b\nu2 user: c';
    expect(canonical(path, () => ({ provider: 'gpt', model: 'five' }))).toEqual(['u1', 'a1']);
    expect(canonical(path, () => lock)).toEqual([]);
    expect(canonical(path, () => null)).toEqual(['a1']);
  });

  it('CX-6: an error reply is never sent and is therefore no break', () => {
    expect(
      canonical('u1 user: a\na1 assistant claude/opus: b\nu2 user: c\na2 assistant gpt/five !error: failed'),
    ).toEqual([]);
  });
});
