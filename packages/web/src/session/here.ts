import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { projectQuery } from './queries.ts';

export interface Here {
  readonly projectId: string;
  readonly branches: readonly BranchView[];
  readonly branch: BranchView | null;
}

/** The project and the branch named by the address, or null outside any project. */
export function useHere(): Here | null {
  const { projectId, branch: name } = useParams({ strict: false });
  const project = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined });
  if (projectId === undefined) return null;
  const branches = project.data?.branches ?? [];
  return { projectId, branches, branch: branches.find((each) => each.name === name) ?? null };
}
