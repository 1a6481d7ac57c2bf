import { sketch, SKETCH_PROJECT } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { CanvasBlock, ContentBlock } from '../blocks/index.ts';
import { isCanvasBlock, isKnownBlock } from '../blocks/index.ts';
import { assembleContext } from '../context/index.ts';
import { CLAUDE, outline, reportOf } from '../context/testing.ts';
import type { TreeNode } from '../entities/index.ts';
import { nodeId } from '../entities/index.ts';
import { messageOf } from '../messages/index.ts';
import { createNode } from '../tree/node.ts';
import { canvasAt, canvasBase, canvasTold, canvasVersions, isCanvasNode } from './index.ts';

const version = (text: string, more: Partial<CanvasBlock> = {}): CanvasBlock => ({
  type: 'canvas',
  text,
  by: 'person',
  inContext: false,
  ...more,
});

/** A path with nodes that hold versions behind it. */
function withVersions(path: readonly TreeNode[], ...blocks: readonly (readonly ContentBlock[])[]): TreeNode[] {
  const all = [...path];
  for (const contentBlocks of blocks) {
    const above = all.at(-1);
    all.push(
      createNode({
        id: nodeId(`v${all.length}-${JSON.stringify(contentBlocks).length}`),
        projectId: SKETCH_PROJECT,
        parentId: above?.id ?? null,
        role: 'user',
        contentBlocks,
        createdAt: `2026-11-18T00:00:${String(all.length).padStart(2, '0')}.000Z`,
      }),
    );
  }
  return all;
}

const talk = (): readonly TreeNode[] => sketch('u1 user: Hi\na1 assistant claude/opus: Hello');

describe('canvas', () => {
  it('CV-740: a version is a block of a user message or a tool result, and of no other shape', () => {
    expect(isKnownBlock(version('a'))).toBe(true);
    for (const wrong of [{ by: 'nobody' }, { inContext: 1 }, { text: 5 }, { mergedFrom: 1 }])
      expect(isCanvasBlock({ ...version('a'), ...wrong })).toBe(false);
    expect(() => messageOf('user', [version('a')])).not.toThrow();
    expect(() => messageOf('tool', [{ type: 'text', text: 'x' }, version('a')], 'c')).not.toThrow();
    expect(() => messageOf('system', [version('a')])).toThrow('text blocks only');
  });

  it('CV-741: the newest version on the path counts; one that a fork leaves behind does not', () => {
    const path = withVersions(talk(), [version('one')], [version('two')]);
    expect(canvasAt(path)).toMatchObject({ text: 'two', nodeId: path.at(-1)?.id });
    expect(canvasAt(path.slice(0, -1))?.text).toBe('one');
    expect(canvasAt(talk())).toBeNull();
    expect(canvasVersions(path).map(({ text }) => text)).toEqual(['one', 'two']);
    expect(path.map(isCanvasNode)).toEqual([false, false, true, true]);
  });

  it('CV-742: a version that no model is told about is not on the path for any rule, and reported', () => {
    const options = { ...CLAUDE, bindsThinkingToPrefix: true };
    const plain = withVersions(talk(), [{ type: 'text', text: 'Next' }]);
    const unsent = withVersions(talk(), [version('secret')]).slice(2);
    const context = assembleContext([...talk(), ...unsent, ...plain.slice(2)], options);
    expect(outline(context)).toEqual(outline(assembleContext(plain, options)));
    expect(context.madeWith).toEqual(assembleContext(plain, options).madeWith);
    expect(reportOf(context)[2]).toBe(`${unsent[0]?.id}: dropped canvas_not_sent`);
  });

  it('CV-743: of a version that is told, the text beside it is sent and nothing else; what precedes it stays', () => {
    const path = withVersions(talk(), [{ type: 'text', text: 'The canvas reads: one' }, version('one')]);
    const context = assembleContext(path, CLAUDE);
    expect(outline(context)).toEqual([
      ...outline(assembleContext(talk(), CLAUDE)),
      'canonical | user: "The canvas reads: one"',
    ]);
    expect(JSON.stringify(context.items)).not.toContain('"canvas"');
  });

  it('CV-744: a long version is told by what changed, if the model knows the one before', () => {
    const long = Array.from({ length: 900 }, (_, index) => `line ${index}`).join('\n');
    const told = (text: string, ...before: readonly CanvasBlock[]): string =>
      canvasTold(canvasVersions(withVersions(talk(), ...before.map((block) => [block]))), text);
    expect(told('short', version('x', { inContext: true }))).toContain('short');
    expect(told(`${long}\nnew`, version(long))).toContain('line 200');
    const changed = told(`${long}\nnew`, version(long, { inContext: true }));
    expect(changed).toContain('+new');
    expect(changed).not.toContain('line 200');
    // A model knows what it made of a version that it knew, but not what a person wrote in between without telling.
    const known = version(long, { inContext: true });
    const made = version(`${long}\nmodel`, { by: 'model', inContext: true });
    expect(told(`${long}\nmodel\nnew`, known, made)).not.toContain('+model');
    expect(told(`${long}\nmodel\nnew`, known, version('', { inContext: false }), made)).toContain('+model');
    expect(told('')).toContain('empty');
  });

  it('CV-745: what two branches have in common is the newest version before they parted, or one merged since', () => {
    const shared = withVersions(talk(), [version('one')], [version('two')]);
    const ours = withVersions(shared, [version('mine')]);
    const theirs = withVersions(shared, [version('theirs, longer')]);
    expect(canvasBase(ours, theirs)?.text).toBe('two');
    const merged = withVersions(ours, [version('both', { mergedFrom: theirs.at(-1)?.id ?? '' })]);
    expect(canvasBase(merged, withVersions(theirs, [version('later')]))?.text).toBe('theirs, longer');
    expect(canvasBase(withVersions(theirs, [version('later')]), merged)?.text).toBe('theirs, longer');
    expect(canvasBase(talk(), theirs)).toBeNull();
    // There and back again: theirs went on from what ours had made of both.
    const back = withVersions(theirs, [version('all of it', { mergedFrom: merged.at(-1)?.id ?? '' })]);
    expect(canvasBase(merged, back)?.text).toBe('both');
    expect(canvasBase(back, merged)?.text).toBe('both');
    const next = withVersions(merged, [version('once more', { mergedFrom: back.at(-1)?.id ?? '' })]);
    expect(canvasBase(next, back)?.text).toBe('all of it');
    expect(canvasBase(back, next)?.text).toBe('all of it');
  });
});
