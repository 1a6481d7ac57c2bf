import { useNavigate } from '@tanstack/react-router';
import type { Written } from '../view/message-content.ts';
import { draftOf, keepAttachments } from './attachments.ts';
import { client } from './client.ts';
import { focusComposerOf } from './composer-bus.ts';
import { writeDraft } from './drafts.ts';
import { tellNotices } from './notices.ts';
import { readAgain } from './queries.ts';
import { attempt } from './refusals.ts';
import { sendMessage } from './send.ts';

interface Beginning {
  readonly provider?: string;
  readonly model?: string;
  /** By id; null: none. Absent: the default one, if there is one. */
  readonly preset?: string | null;
  /** The first message. */
  readonly message?: Written;
}

/** Creates a project, with the defaults unless something else is chosen, and opens its first branch. */
export function useCreateProject(): (beginning?: Beginning) => Promise<void> {
  const navigate = useNavigate();
  return async ({ message, ...wish } = {}) => {
    const { project, branch, notices } = await client.createProject(wish);
    tellNotices(project.id, branch.name, notices);
    if (message !== undefined) {
      const isSent = await attempt(() => sendMessage(project.id, branch, message));
      // The project exists: what could not be sent waits in its composer, below the reason.
      if (!isSent) {
        writeDraft(project.id, branch.id, message.text);
        keepAttachments(draftOf(project.id, branch.id), message.files);
      }
    }
    await readAgain(['projects']);
    focusComposerOf(project.id, branch.name);
    await navigate({ to: '/p/$projectId/b/$branch', params: { projectId: project.id, branch: branch.name } });
  };
}
