import { useNavigate } from '@tanstack/react-router';
import { client } from './client.ts';
import { readAgain } from './queries.ts';

/** Creates a project with the defaults and opens its first branch. */
export function useCreateProject(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const { project, branch } = await client.createProject({});
    await readAgain(['projects']);
    await navigate({ to: '/p/$projectId/b/$branch', params: { projectId: project.id, branch: branch.name } });
  };
}
