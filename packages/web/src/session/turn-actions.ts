import type { BranchView, MessageContentInput, RegenerateInput } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { client } from './client.ts';
import { focusComposerOf } from './composer-bus.ts';
import { followInTurn } from './follow-in-turn.ts';
import { liveTurns } from './live.ts';
import { tellNotices } from './notices.ts';
import { askingFirst } from './over-budget.ts';
import { refreshProject } from './queries.ts';
import { tell } from './refusal-words.ts';
import { offerUndo } from './trash.ts';

/** What a reader can do to a branch's turns. Each action starts a turn and follows it. */
export function useTurnActions(projectId: string, branch: Pick<BranchView, 'name'>) {
  const navigate = useNavigate();
  const goTo = useCallback(
    (name: string, node?: string) =>
      navigate({
        to: '/p/$projectId/b/$branch',
        params: { projectId, branch: name },
        search: node === undefined ? {} : { node },
      }),
    [navigate, projectId],
  );
  const regenerate = async (input: Omit<RegenerateInput, 'ref'> = {}): Promise<void> => {
    const { turns, notices, refused } = await askingFirst((more) =>
      client.regenerate(projectId, { ref: branch.name, ...input, ...more }),
    );
    const [first, ...others] = turns;
    if (first !== undefined) liveTurns.follow(projectId, first.turnId);
    for (const { turnId } of others) void followInTurn(projectId, turnId, () => true);
    await refreshProject(projectId);
    if (first !== undefined) tellNotices(projectId, first.branch, notices);
    if (first !== undefined && first.branch !== branch.name) await goTo(first.branch);
    // Those that began are on the screen; that others did not is reported like any other refusal.
    if (refused !== undefined) throw new Error(await tell({ code: refused.code, message: refused.detail }));
  };
  const continueReply = async (): Promise<void> => {
    const start = (more: object) => client.continueTurn(projectId, { ref: branch.name, ...more });
    await liveTurns.adopt(projectId, await askingFirst(start));
  };
  const edit = async (nodeId: string, content: MessageContentInput): Promise<void> => {
    const start = (more: object) => client.edit(projectId, { nodeId, content, ref: branch.name, ...more });
    const response = await askingFirst(start);
    const { branch: created } = await liveTurns.adopt(projectId, response);
    await refreshProject(projectId);
    focusComposerOf(projectId, created);
    await goTo(created);
  };
  const moveTip = async (tipId: string): Promise<void> => {
    await client.updateBranch(projectId, branch.name, { tipId });
    await refreshProject(projectId);
  };
  const remove = async (nodeId: string): Promise<void> => {
    const { removed, trashId } = await client.deleteNode(projectId, nodeId, 'cascade');
    offerUndo({ trashId, kind: 'node', messages: removed.length });
    await refreshProject(projectId);
  };
  return { regenerate, continueReply, edit, moveTip, remove, goTo };
}
