import type { Branch, BranchId, NodeId, ProjectId, Question, TreeNode, Turn, TurnId, TurnStatus } from '@bough/core';
import { QUESTION_BRANCH, readQuestion, readQuestionMessage } from '@bough/core';
import type { GraphNode, Store } from '@bough/store';

export interface AskedQuestion extends Question {
  /** The reply that it is about. */
  readonly nodeId: NodeId;
  readonly branch: Branch;
  readonly askedAt: string;
  readonly status: TurnStatus;
  /** The turn that answers it, to be watched; null where it came from another program. */
  readonly turnId: TurnId | null;
  /** What is stored of the answer, without its reasoning. */
  readonly answer: string;
  /** The last message of the answer. */
  readonly answerId: NodeId | null;
}

type Kept = Question & Pick<AskedQuestion, 'nodeId' | 'askedAt'>;

/** The questions of a project or about some of its messages, the newest first. What lies in the trash is none. */
export async function listQuestions(
  store: Store,
  projectId: ProjectId,
  about?: readonly NodeId[],
): Promise<readonly AskedQuestion[]> {
  const kept = await branchQuestions(store, projectId);
  const [branches, open] = await Promise.all([store.listBranches(projectId), store.openTurns(projectId)]);
  const wanted = branches.flatMap((branch) => {
    const question = kept.get(branch.id);
    return question === undefined || about?.includes(question.nodeId) === false ? [] : [{ branch, question }];
  });
  const answered = wanted.map(async ({ branch, question }): Promise<AskedQuestion> => {
    const running = open.find(({ branchId }) => branchId === branch.id);
    return { ...question, branch, ...(await answerOf(store, projectId, branch, question.messageId, running)) };
  });
  return (await Promise.all(answered)).sort((a, b) =>
    a.askedAt === b.askedAt ? (a.branch.id < b.branch.id ? -1 : 1) : a.askedAt < b.askedAt ? 1 : -1,
  );
}

/**
 * The questions by the branches that they are asked on. A branch that is named and begins as ResearchTree's question
 * branches do is one, also where nothing is kept of it.
 */
export async function branchQuestions(store: Store, projectId: ProjectId): Promise<ReadonlyMap<BranchId, Kept>> {
  const [annotations, branches] = await Promise.all([
    store.annotations({ projectId, kinds: ['question'] }),
    store.listBranches(projectId),
  ]);
  const byName = new Map(annotations.map((one) => [one.name, one]));
  const found = new Map<BranchId, Kept>();
  const others: Branch[] = [];
  for (const branch of branches) {
    const annotation = byName.get(branch.id);
    const question = annotation === undefined ? null : readQuestion(annotation.text);
    if (annotation !== undefined && question !== null)
      found.set(branch.id, { ...question, nodeId: annotation.nodeId, askedAt: annotation.changedAt });
    else if (branch.name.startsWith(QUESTION_BRANCH)) others.push(branch);
  }
  if (others.length > 0) for (const [id, told] of await toldByMessages(store, projectId, others)) found.set(id, told);
  return found;
}

async function toldByMessages(
  store: Store,
  projectId: ProjectId,
  branches: readonly Branch[],
): Promise<readonly (readonly [BranchId, Kept])[]> {
  const graph = await store.graph(projectId);
  const places = new Map(graph.nodes.map((node) => [node.id, node]));
  const firsts = branches.flatMap((branch) => firstOf(places, branch));
  const nodes = await store.getNodes(projectId, [...new Set(firsts.map(({ message }) => message))]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return firsts.flatMap(({ branch, message, reply }): (readonly [BranchId, Kept])[] => {
    const node = byId.get(message);
    const told = node === undefined ? null : readQuestionMessage(node.content);
    if (node === undefined || told === null) return [];
    const words = { ...told, before: '', after: '', offset: null };
    return [[branch, { ...words, messageId: node.id, nodeId: reply, askedAt: node.createdAt }]];
  });
}

interface First {
  readonly branch: BranchId;
  readonly message: NodeId;
  readonly reply: NodeId;
}

/** The first message that was made on a branch, if it follows a reply. */
function firstOf(byId: ReadonlyMap<NodeId, GraphNode>, { id: branch, tipId }: Branch): readonly First[] {
  let first: First | null = null;
  for (let at = tipId === null ? undefined : byId.get(tipId); at !== undefined;) {
    const above = at.parentId === null ? undefined : byId.get(at.parentId);
    if (at.createdOnBranch === branch)
      first = at.role === 'user' && above?.role === 'assistant' ? { branch, message: at.id, reply: above.id } : null;
    at = above;
  }
  return first === null ? [] : [first];
}

/** The reply to the question that its branch leads to; of several made where the branch went on, the newest. */
async function answerOf(
  store: Store,
  projectId: ProjectId,
  { tipId }: Branch,
  messageId: NodeId,
  running: Turn | undefined,
): Promise<Pick<AskedQuestion, 'status' | 'turnId' | 'answer' | 'answerId'>> {
  const [replies, [tip]] = await Promise.all([
    store.children(projectId, messageId),
    tipId === null ? [] : store.getNodes(projectId, [tipId]),
  ]);
  const isAnswering = running !== undefined && (tipId === messageId || replies.some((one) => isOf(one, running.id)));
  const shown = replies.find(({ turnId }) => turnId !== null && turnId === tip?.turnId) ?? replies.at(-1);
  const turnId = isAnswering ? running.id : (shown?.turnId ?? (tip?.id === messageId ? tip.turnId : null));
  const parts = turnId === null ? (shown === undefined ? [] : [shown]) : await store.nodesOfTurn(projectId, turnId);
  const answers = parts.filter(({ role }) => role === 'assistant');
  const turn = turnId === null ? null : isAnswering ? running : await store.getTurn(projectId, turnId);
  const last = answers.at(-1);
  return {
    status: turn?.status ?? (last === undefined ? 'interrupted' : last.isError ? 'error' : 'complete'),
    turnId,
    answer: answers
      .map(({ content }) => content)
      .filter((text) => text !== '')
      .join('\n\n'),
    answerId: last?.id ?? null,
  };
}

const isOf = (node: TreeNode, turn: TurnId): boolean => node.turnId === turn;
