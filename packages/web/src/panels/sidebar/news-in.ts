import { useQueries } from '@tanstack/react-query';
import { useNews } from '../../session/news.ts';
import { projectQuery } from '../../session/queries.ts';

/** The projects with news, by folder: which folder that is, is read for these few alone. */
export function useNewsIn(): (folder: string) => ReadonlySet<string> {
  const ids = [...new Set([...useNews().values()].map(({ projectId }) => projectId))];
  const projects = useQueries({
    queries: ids.map((id) => ({ ...projectQuery(id), staleTime: Infinity, retry: false })),
    combine: (results) => results.flatMap(({ data }) => data?.project ?? []),
  });
  return (folder) => new Set(projects.filter((project) => project.folder === folder).map(({ id }) => id));
}
