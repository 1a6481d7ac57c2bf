import type { AnnotateNodeInput, AnnotationView, JudgeInput } from '@bough/api/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { queryClient } from './queries.ts';

/** All that is kept beside the messages of a project: few and small, and asked for once. */
export const annotationsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'annotations'],
    queryFn: async () => (await client.projectAnnotations(projectId)).annotations,
    staleTime: 60_000,
  });

export const keptQuery = (kind: string, project: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ['kept', { kind, project, limit }],
    queryFn: () =>
      client.listAnnotations({ limit, ...(kind !== '' && { kind }), ...(project !== undefined && { project }) }),
  });

export const judgedQuery = queryOptions({ queryKey: ['kept', 'judged'], queryFn: () => client.judgedModels() });

/** What the server answers is shown at once; whoever else looks at the project hears of it. */
export async function annotate(projectId: string, nodeId: string, change: AnnotateNodeInput): Promise<void> {
  const { annotations } = await client.annotateNode(projectId, nodeId, change);
  const { queryKey } = annotationsQuery(projectId);
  queryClient.setQueryData<readonly AnnotationView[]>(queryKey, (before = []) => [
    ...before.filter((one) => one.nodeId !== nodeId),
    ...annotations,
  ]);
  await Promise.all([queryKey, ['kept']].map((key) => queryClient.invalidateQueries({ queryKey: key })));
}

export async function judge(projectId: string, comparison: JudgeInput): Promise<void> {
  await client.judge(projectId, comparison);
  const keys = [annotationsQuery(projectId).queryKey, ['kept']];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
