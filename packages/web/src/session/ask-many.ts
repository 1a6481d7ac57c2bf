import type { AskInput, AskTargetInput, CallView, NodeView } from '@bough/api/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Written } from '../view/message-content.ts';
import { contentOf } from '../view/message-content.ts';
import { client } from './client.ts';
import { tellNotices } from './notices.ts';
import { askingFirst } from './over-budget.ts';
import { refreshProject } from './queries.ts';
import { tell } from './refusal-words.ts';
import { offerUndo } from './trash.ts';

/** What is asked: a message that was just written, or one that is there already. */
export type Question = { readonly message: Written } | { readonly nodeId: string };

export function requestOf(ref: string, question: Question, targets: readonly AskTargetInput[]): AskInput {
  const what = 'message' in question ? { message: contentOf(question.message) } : { fromNodeId: question.nodeId };
  return { ref, ...what, targets: [...targets] };
}

/** Under the project's key: what is said meanwhile changes the price. */
export const askEstimateQuery = (projectId: string, request: AskInput) =>
  queryOptions({
    queryKey: ['project', projectId, 'ask-estimate', request],
    queryFn: ({ signal }) => client.askEstimate(projectId, request, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });

interface AskedMany {
  /** The message that all of them answer. */
  readonly nodeId: string;
  /** Why some were not asked; null if all were. */
  readonly refused: string | null;
}

export async function askMany(projectId: string, request: AskInput): Promise<AskedMany> {
  const asked = await askingFirst((more) => client.ask(projectId, { ...request, ...more }));
  for (const { branch, provider, model } of asked.answers) {
    const own = asked.notices.filter((notice) => notice.provider === provider && notice.model === model);
    tellNotices(projectId, branch, own);
  }
  const reasons = await Promise.all(asked.refused.map(({ code, detail }) => tell({ code, message: detail })));
  return { nodeId: asked.nodeId, refused: reasons.length === 0 ? null : [...new Set(reasons)].join(' ') };
}

/** Puts answers into the trash, from where one click brings all of them back. */
export async function dropAnswers(projectId: string, nodeId: string, branchIds: readonly string[]): Promise<void> {
  // Only those that go are named: on one of the others somebody may have gone on, which is no reason to refuse.
  const { deleted, trashIds } = await client.keepAnswers(projectId, { nodeId, answers: [...branchIds], keep: [] });
  const last = trashIds.at(-1);
  if (last !== undefined)
    offerUndo({ trashId: last, more: trashIds.slice(0, -1), kind: 'branch', answers: deleted.length });
  await refreshProject(projectId);
}

/** The calls that made a reply, read where its branch has it. */
export const callsQuery = (projectId: string, ref: string, parts: readonly NodeView[]) =>
  queryOptions({
    queryKey: ['project', projectId, 'calls', ref, parts.map(({ id }) => id)],
    queryFn: async (): Promise<readonly CallView[]> => {
      const [first] = parts;
      if (first === undefined) return [];
      const { groups } = await client.history(projectId, { ref, around: first.id, limit: 1 });
      const ids = new Set(parts.map(({ id }) => id));
      return groups.flatMap(({ calls }) => calls).filter((call) => call.nodeId !== null && ids.has(call.nodeId));
    },
  });
