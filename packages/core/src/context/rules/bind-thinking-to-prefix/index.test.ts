import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { TreeNode } from '../../../entities/index.ts';
import { nodeId } from '../../../entities/index.ts';
import { assembleContext } from '../../assemble.ts';
import type { AssemblyOptions } from '../../assembly.ts';
import { CLAUDE, outline, reportOf } from '../../testing.ts';

const BOUND: AssemblyOptions = { ...CLAUDE, bindsThinkingToPrefix: true };

/** Plays a conversation: every reply is stored with what it was made with, as the engine does. */
function play(text: string, options: AssemblyOptions = BOUND, from: readonly TreeNode[] = []): readonly TreeNode[] {
  const path = [...from];
  for (const node of sketch(text)) {
    path.push(node.role === 'assistant' ? { ...node, madeWith: assembleContext(path, options).madeWith } : node);
  }
  return path;
}

const thinkingSent = (path: readonly TreeNode[], options: AssemblyOptions = BOUND) =>
  assembleContext(path, options)
    .items.filter((item) => item.source === 'raw' && item.reasoning === 'verbatim')
    .flatMap((item) => item.nodeIds);

const TALK = `
  u1 user: a
  a1 assistant claude/opus: [think! one] [call c1 search]
  t1 tool c1: found
  a2 assistant claude/opus: [think! two] b
  u2 user: c
  a3 assistant claude/opus: [think! three] d
`;

describe('bind-thinking-to-prefix', () => {
  it('CX-20: a conversation that only grows keeps all of its thinking', () => {
    expect(thinkingSent(play(TALK))).toEqual(['a1', 'a2', 'a3']);
  });

  it('CX-20: a fork that repeats everything unchanged keeps its thinking up to the fork point', () => {
    expect(thinkingSent(play(TALK).slice(0, 4))).toEqual(['a1', 'a2']);
  });

  it('CX-20: messages that are joined because the reply between them failed keep the thinking behind them', () => {
    const path = play(`
      u1 user: a
      a1 assistant claude/opus !error: failed
      u2 user: b
      a2 assistant claude/opus: [think! one] c
    `);
    expect(thinkingSent(path)).toEqual(['a2']);
    // The second of the joined messages was edited: thoughts about its first wording must not be sent with it.
    const [u1, a1, u2, a2] = path;
    expect(u1 && a1 && u2 && a2 && thinkingSent([u1, a1, { ...u2, id: nodeId('u3') }, a2])).toEqual([]);
  });

  it.each<[string, Partial<AssemblyOptions>]>([
    ['another system prompt', { systemPrompt: 'Be kind.' }],
    ['other tools', { tools: [{ name: 'x', description: '', inputSchema: {} }] }],
  ])('CX-21: %s takes all thinking out, reported, while texts and tools stay', (_, change) => {
    const context = assembleContext(play(TALK), { ...BOUND, ...change });
    expect(outline(context).filter((line) => line.includes('thinking |'))).toEqual([]);
    expect(context.items).toHaveLength(6);
    expect(reportOf(context).filter((line) => line.endsWith('canonical thinking_prefix_changed'))).toHaveLength(3);
  });

  it('CX-22: thinking that is included as text later changes the prefix of what follows it, and of nothing before', () => {
    const talk = play(`
      u1 user: a
      a1 assistant claude/opus: [think! one] b
      u2 user: c
      b1 assistant gpt/five: [think hm] d
      u3 user: e
      a2 assistant claude/opus: [think! two] f
    `);
    expect(thinkingSent(talk)).toEqual(['a1', 'a2']);
    const path = talk.map((node) => (node.id === 'b1' ? { ...node, includeThinkingInContext: true } : node));
    expect(thinkingSent(path)).toEqual(['a1']);
  });

  it('CX-22: a message that was removed changes the prefix of what follows it', () => {
    const path = play(TALK);
    expect(thinkingSent(path.filter((node) => node.id !== 'u1'))).toEqual([]);
  });

  it('CX-46: a turn that was deleted costs the thoughts behind it and none before, and new ones go on from those', () => {
    const path = play('u3 user: e\na4 assistant claude/opus: [think! four] f', BOUND, play(TALK));
    const shorter = path.filter(({ id }) => id !== 'u2' && id !== 'a3');
    expect(thinkingSent(shorter)).toEqual(['a1', 'a2']);
    const longer = play('u4 user: g\na5 assistant claude/opus: [think! five] h', BOUND, shorter);
    expect(longer.at(-1)?.madeWith?.previousThinking).toBe('a2');
    expect(thinkingSent(longer)).toEqual(['a1', 'a2', 'a5']);
  });

  it('CX-23: after a prefix break, thinking that was made behind it is valid again, and the chain begins there', () => {
    const changed: AssemblyOptions = { ...BOUND, systemPrompt: 'Be kind.' };
    const path = play('u3 user: e\na4 assistant claude/opus: [think! four] f', changed, play(TALK));
    expect(thinkingSent(path, changed)).toEqual(['a4']);
    // Under the old system prompt again, the newest thought no longer fits; those before it are unchanged.
    expect(thinkingSent(path)).toEqual(['a1', 'a2', 'a3']);
  });

  it('CX-24: a thought that was left out once stays out: putting it back would break the chain', () => {
    const path = play(TALK).map((node) =>
      node.id === 'a3' && node.madeWith !== null
        ? { ...node, madeWith: { ...node.madeWith, previousThinking: null } }
        : node,
    );
    expect(thinkingSent(path)).toEqual(['a3']);
  });

  it('CX-25: what a reply was made with is unknown for old data: its thinking stays out', () => {
    expect(thinkingSent(sketch(TALK))).toEqual([]);
  });

  it('CX-20: models that do not bind are left alone', () => {
    expect(thinkingSent(sketch(TALK), CLAUDE)).toEqual(['a1', 'a2', 'a3']);
  });

  it('CX-51: thinking made when all before the break counted as text still fits where the request is the same', () => {
    const SWITCHED = `
      u1 user: a
      b1 assistant gpt/five: b
      u2 user: c
      a1 assistant claude/opus: [think! one] d
      u3 user: e
      a2 assistant claude/opus: [think! two] f
    `;
    expect(thinkingSent(play(SWITCHED, { ...BOUND, replayBy: 'break' }))).toEqual(['a1', 'a2']);
  });

  it('CX-51: it does not fit where a reply before the break is now sent as it was made', () => {
    const RETURNED = `
      u1 user: a
      a1 assistant claude/opus: [think! one] b
      u2 user: c
      b1 assistant gpt/five: d
      u3 user: e
      a2 assistant claude/opus: [think! two] f
    `;
    expect(thinkingSent(play(RETURNED, { ...BOUND, replayBy: 'break' }))).toEqual(['a1']);
    expect(thinkingSent(play(RETURNED))).toEqual(['a1', 'a2']);
  });

  it('CX-52: asking for thinking that goes back anyway changes nothing', () => {
    const path = play(TALK).map((node) => (node.id === 'a1' ? { ...node, includeThinkingInContext: true } : node));
    expect(thinkingSent(path)).toEqual(['a1', 'a2', 'a3']);
    expect(outline(assembleContext(path, BOUND))).toEqual(outline(assembleContext(play(TALK), BOUND)));
  });

  it('CX-52: where it cannot go back it is told as text, and what is thought after that text fits', () => {
    const changed = { ...BOUND, systemPrompt: 'Be kind.' };
    const before = play(TALK).map((node) => (node.id === 'a1' ? { ...node, includeThinkingInContext: true } : node));
    const path = play('u3 user: e\na4 assistant claude/opus: [think! four] f', changed, before);
    expect(thinkingSent(path, changed)).toEqual(['a4']);
    const told = outline(assembleContext(path, changed)).filter((line) => line.includes('Reasoning from earlier'));
    expect(told).toHaveLength(1);
    expect(thinkingSent(path)).toEqual(['a1', 'a2', 'a3']);
  });

  it('CX-114: what was thought behind a provider’s own summary, or before it, fits behind the next one', () => {
    const node = (path: readonly TreeNode[], line: string): readonly TreeNode[] => {
      const parent = path.at(-1)?.id ?? null;
      return sketch(line).map((one, index) => (index === 0 ? { ...one, parentId: parent } : one));
    };
    /** The summary of a path that its provider makes itself: its request ends with the path. */
    const summaryOf = (path: readonly TreeNode[], number: number, options: AssemblyOptions): readonly TreeNode[] => {
      const { madeWith } = assembleContext(path, options);
      const [asked, made] = node(path, `q${number} user: sum up\ns${number} assistant claude/opus: so far`);
      return asked && made ? [asked, { ...made, madeWith }] : [];
    };
    const ids = (nodes: readonly TreeNode[]) => nodes.map(({ id }) => id);
    const turn = (number: number) => `
      u${number} user: ask ${number}
      a${number} assistant claude/opus: [think! ${number}] told ${number}
    `;
    const one = play(turn(1));
    const early = play(`${turn(2)}${turn(3)}`, BOUND, one);
    const first = summaryOf(one, 1, BOUND);
    const behindFirst = { ...BOUND, summary: ids(first) };
    const late = play(`${turn(2)}${turn(3)}`, behindFirst, [...one, ...first]);
    for (const [path, at] of [
      [early, 4],
      [late, 6],
    ] as const) {
      const said = path.filter(({ id }) => !ids(first).includes(id));
      const second = summaryOf([...one, ...first, ...said.slice(2, 4)], 2, behindFirst);
      const whole = [...said.slice(0, 4), ...second, ...said.slice(4)];
      const behindBoth = { ...BOUND, summary: ids(second), earlierSummaries: [first] };
      expect(path[at]?.id).toBe('u3');
      expect(thinkingSent(whole, behindBoth)).toContain('a3');
      // Nothing vouches for what came before without the first summary, nor behind other instructions or a pin.
      expect(thinkingSent(whole, { ...behindBoth, earlierSummaries: [] })).not.toContain('a3');
      expect(thinkingSent(whole, { ...behindBoth, systemPrompt: 'Be kind.' })).not.toContain('a3');
      expect(thinkingSent(whole, { ...behindBoth, choices: { a2: 'pin' } })).not.toContain('a3');
    }
  });

  it('CX-22: a result that is told in the reply that asked for it is part of the prefix', () => {
    const path = play(`
      u1 user: a
      b1 assistant gpt/five: [call c1 search]
      t1 tool c1: found
      b2 assistant gpt/five: b
      u2 user: c
      a1 assistant claude/opus: [think! one] d
    `);
    expect(thinkingSent(path)).toEqual(['a1']);
    expect(thinkingSent(path.filter(({ id }) => id !== 't1'))).toEqual([]);
  });
});
