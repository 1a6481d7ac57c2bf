import type { BranchView } from '@bough/api/client';
import { client } from './client.ts';
import { writeDraft } from './drafts.ts';
import { liveTurns } from './live.ts';
import { newId } from './new-id.ts';
import { askingFirst } from './over-budget.ts';
import { refreshProject } from './queries.ts';
import { quoted } from '../view/reply.ts';

interface Passage {
  readonly projectId: string;
  readonly branch: BranchView;
  /** The message that contains the words: the branch starts there. */
  readonly nodeId: string;
  readonly text: string;
}

/**
 * Makes a branch from a passage and asks about it there. Without a question, the passage waits in the new branch's
 * composer.
 */
export async function askAbout({ projectId, branch, nodeId, text }: Passage, question: string): Promise<BranchView> {
  const { branch: created } = await client.createBranch(projectId, { fromRef: branch.name, fromNodeId: nodeId });
  if (question === '') {
    writeDraft(projectId, created.id, quoted(text));
  } else {
    const message = `${quoted(text)}${question}`;
    const input = { ref: created.name, message, clientRequestId: newId() };
    const response = await askingFirst((more) => client.chat(projectId, { ...input, ...more }));
    await liveTurns.adopt(projectId, response);
  }
  await refreshProject(projectId);
  return created;
}
