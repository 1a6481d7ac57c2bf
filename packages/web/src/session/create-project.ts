import type { BranchView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import type { Written } from '../view/message-content.ts';
import { draftOf, keepAttachments } from './attachments.ts';
import { client } from './client.ts';
import { composerKey, focusComposerOf, insertIntoComposer } from './composer-bus.ts';
import { writeDraft } from './drafts.ts';
import { tellNotices } from './notices.ts';
import { projectQuery, queryClient, readAgain } from './queries.ts';
import { attempt } from './refusals.ts';
import { sendMessage } from './send.ts';

interface Beginning {
  readonly provider?: string;
  readonly model?: string;
  /** By id; null: none. Absent: the default one, if there is one. */
  readonly preset?: string | null;
  /** The first message. */
  readonly message?: Written;
  /** Called when the project exists: from then on the message is its own. */
  readonly onMade?: () => void;
}

/** Creates a project, with the defaults unless something else is chosen, and opens its first branch. */
export function useCreateProject(): (beginning?: Beginning) => Promise<void> {
  const navigate = useNavigate();
  return async ({ message, onMade, ...wish } = {}) => {
    const { project, branch, notices } = await client.createProject(wish);
    onMade?.();
    tellNotices(project.id, branch.name, notices);
    const sending = message === undefined ? Promise.resolve() : sendFirst(project.id, branch, message);
    // Read before it is opened: what was sent goes from one page to the other without a moment of neither.
    await queryClient.prefetchQuery(projectQuery(project.id));
    focusComposerOf(project.id, branch.name);
    await navigate({ to: '/p/$projectId/b/$branch', params: { projectId: project.id, branch: branch.name } });
    await sending;
    await readAgain(['projects']);
  };
}

async function sendFirst(projectId: string, branch: BranchView, message: Written): Promise<void> {
  if (await attempt(() => sendMessage(projectId, branch, message))) return;
  // The project exists: what could not be sent waits in its composer, below the reason.
  if (document.getElementById('composer')?.dataset['branch'] === composerKey(projectId, branch.name)) {
    insertIntoComposer(message.text, message.files);
  } else {
    writeDraft(projectId, branch.id, message.text);
    keepAttachments(draftOf(projectId, branch.id), message.files);
  }
}
