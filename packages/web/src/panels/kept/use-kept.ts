import type { AnnotationView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { annotationsQuery } from '../../session/annotations.ts';

export interface Kept {
  readonly isStarred: boolean;
  readonly note: string | null;
  readonly bookmarks: readonly string[];
  readonly mark: AnnotationView['verdict'] | null;
}

/** What is kept beside a message. */
export function useKept(projectId: string, nodeId: string): Kept {
  const { data = [] } = useQuery(annotationsQuery(projectId));
  const beside = data.filter((one) => one.nodeId === nodeId);
  return {
    isStarred: beside.some(({ kind }) => kind === 'star'),
    note: beside.find(({ kind }) => kind === 'note')?.text ?? null,
    bookmarks: beside.filter(({ kind }) => kind === 'bookmark').map(({ name }) => name),
    mark: beside.find(({ kind, name }) => kind === 'verdict' && name === '')?.verdict ?? null,
  };
}
