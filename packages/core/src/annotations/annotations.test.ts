import { describe, expect, it } from 'vitest';
import { nodeId, projectId } from '../entities/index.ts';
import { parseSearch } from '../search/index.ts';
import type { Annotation } from './index.ts';
import { inAnnotationOrder, isAnnotation, newestAnnotationFirst, requireAnnotation } from './index.ts';

const star: Annotation = {
  projectId: projectId('p'),
  nodeId: nodeId('n'),
  kind: 'star',
  name: '',
  text: '',
  changedAt: '2026-01-01',
};

describe('annotations', () => {
  it.each<[string, Partial<Annotation>, string]>([
    ['a star with words', { text: 'x' }, 'write a note'],
    ['a star with a name', { name: 'x' }, 'has no name'],
    ['a bookmark without a name', { kind: 'bookmark', name: '  ' }, 'needs a name'],
    ['a note without words', { kind: 'note', text: ' ' }, 'remove it instead'],
    ['a name that is too long', { kind: 'bookmark', name: 'x'.repeat(201) }, 'at most 200'],
    ['a note that is too long', { kind: 'note', text: 'x'.repeat(20_001) }, 'at most 20000'],
    ['a verdict that says nothing', { kind: 'verdict' }, 'lacks a field'],
    ['a star with a verdict', { verdict: 'good' }, 'lacks a field'],
  ])('AN-121: %s is refused', (_, change, told) => {
    expect(() => requireAnnotation({ ...star, ...change })).toThrow(told);
  });

  it('AN-121: what is none is not taken for one', () => {
    expect(isAnnotation(star)).toBe(true);
    expect(isAnnotation({ ...star, kind: 'verdict', verdict: 'better', blind: true })).toBe(true);
    for (const other of [null, 'star', { ...star, kind: 'sun' }, { ...star, text: 1 }, { ...star, blind: true }])
      expect(isAnnotation(other)).toBe(false);
  });

  it('AN-122: lists are newest first, and equal times have one order everywhere', () => {
    const older = { ...star, changedAt: '2025-01-01' };
    const note: Annotation = { ...star, kind: 'note', text: 'x' };
    expect([older, star, note].sort(newestAnnotationFirst)).toEqual([note, star, older]);
    expect([star, note].sort(inAnnotationOrder)).toEqual([note, star]);
  });

  it('SR-127: a search asks for what is kept beside messages by any of its names', () => {
    const asked = (typed: string) => parseSearch(typed).filters.beside;
    expect(asked('is:starred')).toEqual(['star']);
    expect(asked('has:star has:notes')).toEqual(['star', 'note']);
    expect(asked('is:bookmarked is:judged')).toEqual(['bookmark', 'verdict']);
    expect(asked('starred')).toBeUndefined();
  });
});
