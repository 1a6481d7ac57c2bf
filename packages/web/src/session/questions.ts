import type { AnnotationView, AskAboutInput, QuestionView } from '@bough/api/client';
import { QUESTION_BRANCH } from '@bough/core';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { questionRequests } from '../view/question-requests.ts';
import { annotationsQuery } from './annotations.ts';
import { client } from './client.ts';
import { liveTurns } from './live.ts';
import { tellNotices } from './notices.ts';
import { setOpened } from './opened.ts';
import { askingFirst } from './over-budget.ts';
import { projectQuery, queryClient, refreshProject } from './queries.ts';
import { offerUndo } from './trash.ts';

/** A question as it stands beside a reply; its words and its answer may still be on their way. */
export interface BesideQuestion extends Pick<QuestionView, 'branchId' | 'nodeId' | 'question' | 'askedAt'> {
  readonly details: QuestionView | null;
}

const keyOf = (projectId: string) => ['project', projectId, 'questions'] as const;

/** Where it is remembered whether the note of a question is open. */
export const notePlace = (branchId: string): string => `question ${branchId}`;

/** Asked on this page a moment ago: on the screen before the list is read that has them. */
const askedHere = new Map<string, QuestionView>();

/** The questions about some messages; about all of a project where that is null. */
const questionsQuery = (projectId: string, nodes: readonly string[] | null) =>
  queryOptions({
    queryKey: [...keyOf(projectId), nodes],
    queryFn: async () => (await client.listQuestions(projectId, nodes ?? undefined)).questions,
    // What was read with other messages stays while this is read.
    placeholderData: () => known(projectId).filter(({ nodeId }) => nodes?.includes(nodeId) !== false),
    staleTime: 60_000,
  });

function known(projectId: string): QuestionView[] {
  const read = queryClient.getQueriesData<QuestionView[]>({ queryKey: keyOf(projectId) });
  const byBranch = new Map(read.flatMap(([, questions]) => questions ?? []).map((each) => [each.branchId, each]));
  return [...byBranch.values()];
}

/**
 * What was asked about these messages, the oldest first. Which messages have questions is known from what is kept
 * beside messages, which is read anyway; where there are none, nothing is requested. Only question branches that came
 * from ResearchTree are kept nowhere: there, everything is read once.
 */
export function useQuestions(projectId: string, nodeIds: readonly string[]): readonly BesideQuestion[] {
  const { data: annotations } = useQuery(annotationsQuery(projectId));
  const { data: named = [] } = useQuery({ ...projectQuery(projectId), select: likeQuestions });
  const kept = (annotations ?? []).filter(({ kind }) => kind === 'question');
  const hasOthers = annotations !== undefined && named.some((id) => kept.every(({ name }) => name !== id));
  const requests = [...questionRequests(kept, nodeIds), ...(hasOthers ? [null] : [])];
  const answers = useQueries({ queries: requests.map((nodes) => questionsQuery(projectId, nodes)) });
  const read = new Map(answers.flatMap(({ data }) => data ?? []).map((each) => [each.branchId, each]));
  const beside = kept.map(({ name: branchId, nodeId, text, changedAt }): BesideQuestion => {
    const details = read.get(branchId) ?? askedHere.get(branchId) ?? null;
    return { branchId, nodeId, question: text, askedAt: changedAt, details };
  });
  const others = [...read.values()].filter(({ branchId }) => kept.every(({ name }) => name !== branchId));
  return [...beside, ...(hasOthers ? others : []).map((each) => ({ ...each, details: each }))]
    .filter(({ nodeId }) => nodeIds.includes(nodeId))
    .toSorted((a, b) => (a.askedAt === b.askedAt ? 0 : a.askedAt < b.askedAt ? -1 : 1));
}

const likeQuestions = ({
  branches,
}: {
  readonly branches: readonly { readonly id: string; readonly name: string }[];
}) => branches.filter(({ name }) => name.startsWith(QUESTION_BRANCH)).map(({ id }) => id);

/** Asks in the background, on a branch of its own: the one that this resolves with. The reader stays where they are. */
export async function askBeside(projectId: string, input: AskAboutInput): Promise<string> {
  const asking = askingFirst((more) => client.askAbout(projectId, { ...input, ...more }));
  liveTurns.expect(asking);
  const { question, notices } = await asking;
  tellNotices(projectId, question.branch, notices);
  askedHere.set(question.branchId, question);
  setOpened(notePlace(question.branchId), true);
  const note: AnnotationView = {
    projectId,
    nodeId: question.nodeId,
    kind: 'question',
    name: question.branchId,
    text: question.question,
    changedAt: question.askedAt,
  };
  changeKept(projectId, (kept) => [...kept.filter(({ name }) => name !== note.name), note]);
  await refreshQuestions(projectId);
  return question.branchId;
}

/** A failed or stopped answer is made again, on the same branch. */
export async function askAgain(projectId: string, { branchId, branch, messageId }: QuestionView): Promise<void> {
  const { notices } = await askingFirst((more) =>
    client.regenerate(projectId, { ref: branchId, nodeId: messageId, ...more }),
  );
  tellNotices(projectId, branch, notices);
  setOpened(notePlace(branchId), true);
  await refreshQuestions(projectId);
}

/** Its branch goes to the trash, and the note with it; one click brings both back. */
export async function dropQuestion(projectId: string, branchId: string): Promise<void> {
  const { trashId } = await client.deleteQuestion(projectId, branchId);
  offerUndo({ trashId, kind: 'branch', isQuestion: true });
  changeKept(projectId, (kept) => kept.filter(({ kind, name }) => kind !== 'question' || name !== branchId));
  await refreshProject(projectId);
}

/** Makes the branch of a question an ordinary one, which lists show. */
export async function showQuestionBranch(projectId: string, { branchId, hidden }: QuestionView): Promise<void> {
  if (!hidden) return;
  await client.updateBranch(projectId, branchId, { hidden: false });
  await refreshProject(projectId);
}

function changeKept(projectId: string, change: (kept: readonly AnnotationView[]) => AnnotationView[]): void {
  const { queryKey } = annotationsQuery(projectId);
  // Where nothing is known yet, one entry would pass for all of them.
  queryClient.setQueryData(queryKey, (kept) => (kept === undefined ? undefined : change(kept)));
}

async function refreshQuestions(projectId: string): Promise<void> {
  const keys = [annotationsQuery(projectId).queryKey, keyOf(projectId), ['kept']];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
