import { useNavigate } from '@tanstack/react-router';
import { client } from './client.ts';
import { tellNotices } from './notices.ts';
import { readAgain } from './queries.ts';

/** Creates a project with the defaults and opens its first branch. */
export function useCreateProject(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const { project, branch, notices } = await client.createProject({});
    tellNotices(project.id, branch.name, notices);
    await readAgain(['projects']);
    await navigate({ to: '/p/$projectId/b/$branch', params: { projectId: project.id, branch: branch.name } });
  };
}
