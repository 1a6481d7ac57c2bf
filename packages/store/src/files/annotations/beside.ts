import type { Annotation, NodeId, ProjectId } from '@bough/core';
import { ANNOTATION_LIMITS, nodeId } from '@bough/core';
import type { Bookmark } from '../format/bookmarks.ts';
import { isSameBookmark } from '../format/bookmarks.ts';
import type { ReadableBase } from '../state/base.ts';
import type { ProjectState } from '../state/project-state.ts';
import { idsOf } from '../state/project-state.ts';
import type { ProjectChange } from '../write/project-change.ts';
import type { BookmarkChange } from './loom-bookmarks.ts';

// Where a directory has Loom's configuration, that is where bookmarks are, for Loom and for Bough; what else is kept
// beside messages is in files of Bough's own.

/** All that is kept beside a node. */
export function besideOf(base: ReadableBase, state: ProjectState, id: NodeId): readonly Annotation[] {
  const own = state.annotations.get(id) ?? [];
  const looms = loomsBeside(base, state, id).map(({ annotation }) => annotation);
  return [...own, ...looms.filter(({ name }) => !own.some((one) => one.kind === 'bookmark' && one.name === name))];
}

/** What is beside nodes that exist. */
export function allAnnotations(base: ReadableBase, state: ProjectState): readonly Annotation[] {
  const ids = new Set([
    ...state.annotations.keys(),
    ...loomsOf(base, state).map(({ annotation }) => annotation.nodeId),
  ]);
  return [...ids].flatMap((id) => (state.nodes.has(id) ? besideOf(base, state, id) : []));
}

interface LoomsAnnotation {
  readonly bookmark: Bookmark;
  readonly annotation: Annotation;
}

function loomsOf(base: ReadableBase, state: ProjectState): readonly LoomsAnnotation[] {
  const { fromLoom } = idsOf(state);
  return (base.bookmarks ?? []).flatMap((bookmark) =>
    bookmark.rootId === state.project.id
      ? [{ bookmark, annotation: annotationOf(state.project.id, bookmark, nodeId(fromLoom(bookmark.nodeId))) }]
      : [],
  );
}

const loomsBeside = (base: ReadableBase, state: ProjectState, id: NodeId): readonly LoomsAnnotation[] =>
  loomsOf(base, state).filter(({ annotation }) => annotation.nodeId === id);

/** Loom allows any title. */
function annotationOf(projectId: ProjectId, { title, createdAt }: Bookmark, node: NodeId): Annotation {
  const name = title.trim() === '' ? 'Bookmark' : title.slice(0, ANNOTATION_LIMITS.name);
  return { projectId, nodeId: node, kind: 'bookmark', name, text: '', changedAt: createdAt };
}

export function loomBookmark(
  project: ProjectId,
  { nodeId: node, name, changedAt }: Annotation,
  toLoom: (id: string) => string,
): Bookmark {
  return { title: name, rootId: project, nodeId: toLoom(node), createdAt: changedAt };
}

/** Whether it is kept in a file of Bough's own. */
export const isOwn = (base: ReadableBase, { kind }: Annotation): boolean =>
  kind !== 'bookmark' || base.bookmarks === null;

/** Of the nodes beside which a draft changes something, what is kept in Bough's own files. */
export function ownAnnotations(
  base: ReadableBase,
  { annotations }: ProjectChange,
): readonly (readonly [NodeId, readonly Annotation[]])[] {
  return [...annotations].map(([id, beside]) => [id, beside.filter((one) => isOwn(base, one))]);
}

/** What a draft changes in Loom's configuration. */
export function bookmarkChange(base: ReadableBase, draft: ProjectChange): BookmarkChange {
  const { state, annotations, removed, added } = draft;
  if (base.bookmarks === null) return { removed: () => false, added: [] };
  const { toLoom } = idsOf(state, added);
  const gone: Bookmark[] = [];
  const come: Bookmark[] = [];
  for (const id of removed) gone.push(...loomsBeside(base, state, id).map(({ bookmark }) => bookmark));
  for (const [id, beside] of annotations) {
    const wanted = beside.filter(({ kind }) => kind === 'bookmark');
    const there = loomsBeside(base, state, id);
    const isSame = (a: Annotation, b: Annotation): boolean => a.name === b.name && a.changedAt === b.changedAt;
    for (const { bookmark, annotation } of there)
      if (!wanted.some((one) => isSame(one, annotation))) gone.push(bookmark);
    for (const one of wanted)
      if (!there.some(({ annotation }) => isSame(one, annotation)))
        come.push(loomBookmark(state.project.id, one, toLoom));
  }
  return { removed: (bookmark) => gone.some((one) => isSameBookmark(one, bookmark)), added: come };
}
