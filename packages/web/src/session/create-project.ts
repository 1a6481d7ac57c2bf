import { useNavigate } from '@tanstack/react-router';
import { client } from './client.ts';
import { focusComposerOf } from './composer-bus.ts';
import { writeDraft } from './drafts.ts';
import { tellNotices } from './notices.ts';
import { readAgain } from './queries.ts';
import { attempt } from './refusals.ts';
import { sendMessage } from './send.ts';

interface FirstMessage {
  readonly provider: string;
  readonly model: string;
  readonly message: string;
}

/** Creates a project, with the defaults unless a first message comes with its model, and opens its first branch. */
export function useCreateProject(): (first?: FirstMessage) => Promise<void> {
  const navigate = useNavigate();
  return async (first) => {
    const lock = first === undefined ? {} : { provider: first.provider, model: first.model };
    const { project, branch, notices } = await client.createProject(lock);
    tellNotices(project.id, branch.name, notices);
    if (first !== undefined) {
      const { message } = first;
      const isSent = await attempt(() => sendMessage(project.id, branch, message));
      // The project exists: what could not be sent waits in its composer, below the reason.
      if (!isSent) writeDraft(project.id, branch.id, message);
    }
    await readAgain(['projects']);
    focusComposerOf(project.id, branch.name);
    await navigate({ to: '/p/$projectId/b/$branch', params: { projectId: project.id, branch: branch.name } });
  };
}
