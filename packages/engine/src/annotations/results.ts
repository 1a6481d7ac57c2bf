import type { Annotation, Call, ProjectId, TreeNode } from '@bough/core';
import type { Store } from '@bough/store';

/** How a model fared where people compared or judged replies. */
export interface ModelResult {
  readonly provider: string;
  readonly model: string;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  readonly good: number;
  readonly bad: number;
  /** How many of its replies were judged at all. */
  readonly replies: number;
  /** What these replies cost together; null where that is not known of one of them. */
  readonly cost: number | null;
  /** How long they took, on average; null where that is not known. */
  readonly averageMs: number | null;
}

type Sum = { -readonly [Key in keyof ModelResult]: ModelResult[Key] } & { timed: number; totalMs: number };

/** Of one project or of all. What lies in the trash does not count. */
export async function judgedModels(store: Store, projectId?: ProjectId): Promise<readonly ModelResult[]> {
  const verdicts = await store.annotations({ kinds: ['verdict'], ...(projectId !== undefined && { projectId }) });
  const sums = new Map<string, Sum>();
  for (const project of new Set(verdicts.map((one) => one.projectId)))
    await addProject(
      store,
      project,
      verdicts.filter((one) => one.projectId === project),
      sums,
    );
  return [...sums.values()]
    .map(({ timed, totalMs, ...result }) => ({ ...result, averageMs: timed === 0 ? null : totalMs / timed }))
    .sort((a, b) => b.wins - a.wins || a.losses - b.losses || (a.model < b.model ? -1 : 1));
}

async function addProject(
  store: Store,
  project: ProjectId,
  verdicts: readonly Annotation[],
  sums: Map<string, Sum>,
): Promise<void> {
  const ids = [...new Set(verdicts.map(({ nodeId }) => nodeId))];
  const nodes = new Map((await store.getNodes(project, ids)).map((node) => [node.id, node]));
  for (const node of nodes.values()) {
    const given = verdicts.filter(({ nodeId }) => nodeId === node.id);
    const sum = sumOf(sums, node);
    sum.replies += 1;
    for (const { verdict } of given) {
      if (verdict === 'better') sum.wins += 1;
      else if (verdict === 'worse') sum.losses += 1;
      else if (verdict === 'tied') sum.ties += 1;
      else if (verdict === 'good') sum.good += 1;
      else if (verdict === 'bad') sum.bad += 1;
    }
    addCalls(sum, await callsOf(store, project, node));
  }
}

function sumOf(sums: Map<string, Sum>, { provider, modelUsed }: TreeNode): Sum {
  const [by, model] = [provider ?? '', modelUsed ?? ''];
  const key = JSON.stringify([by, model]);
  const none = { wins: 0, losses: 0, ties: 0, good: 0, bad: 0, replies: 0, cost: 0, averageMs: null };
  const sum = sums.get(key) ?? { provider: by, model, ...none, timed: 0, totalMs: 0 };
  sums.set(key, sum);
  return sum;
}

/** A reply with tools was made by several calls. */
async function callsOf(store: Store, project: ProjectId, { turnId }: TreeNode): Promise<readonly Call[]> {
  if (turnId === null) return [];
  return (await store.callsOfTurn(project, turnId)).filter(({ purpose }) => purpose === undefined);
}

function addCalls(sum: Sum, calls: readonly Call[]): void {
  const costs = calls.map(({ cost }) => cost);
  const isKnown = calls.length > 0 && costs.every((cost) => cost !== null);
  sum.cost = sum.cost === null || !isKnown ? null : costs.reduce((total, cost) => total + (cost ?? 0), sum.cost);
  const times = calls.flatMap(({ startedAt, endedAt }) =>
    endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(startedAt)],
  );
  if (times.length === 0) return;
  sum.timed += 1;
  sum.totalMs += times.reduce((total, time) => total + time, 0);
}
