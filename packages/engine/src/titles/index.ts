import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock, ProjectId, TreeNode, Turn } from '@bough/core';
import { isCanvasNode, isTextBlock, personsWords, titleFrom } from '@bough/core';
import { ConflictError } from '@bough/store';
import { budgetFor } from '../admit/budget.ts';
import type { Environment } from '../environment.ts';
import { titleModel } from '../library/defaults.ts';
import { isDeleted } from '../turn/failure.ts';
import { writeTitle } from './write.ts';

/** How long a turn that ended waits for others: whether titles are written is asked for all of them at once. */
const TOGETHER_MS = 100;
/** How often a title is tried, each time after another reply. */
const ATTEMPTS = 3;
/** How far above a turn the conversation may begin: a title belongs to its beginning. */
const STEPS = 6;
/** A title that takes longer is not worth waiting for. */
const PATIENCE_MS = 30_000;
/** Longer than the call can take: nobody else closes the turn while it is made. */
const LEASE_MS = 2 * PATIENCE_MS;

/** Names projects after their first reply, beside the conversation. Nothing waits for it, and nothing fails by it. */
export interface Titles {
  /** A turn has ended. */
  readonly consider: (turn: Turn) => void;
  readonly stop: () => Promise<void>;
}

export function createTitles(env: Environment): Titles {
  const abort = new AbortController();
  const underWay = new Set<Promise<void>>();
  let ended: Turn[] = [];
  const begin = (work: () => Promise<void>): void => {
    const begun = work()
      .catch((error: unknown) => {
        if (isDeleted(error)) return;
        const message = error instanceof Error ? error.message : String(error);
        env.observe({ type: 'problem', what: 'title', message });
      })
      .finally(() => underWay.delete(begun));
    underWay.add(begun);
  };
  const considerAll = async (): Promise<void> => {
    await sleep(TOGETHER_MS, undefined, { signal: abort.signal }).catch(() => undefined);
    const turns = ended;
    ended = [];
    const model = abort.signal.aborted ? null : await titleModel(env);
    if (model !== null) for (const turn of turns) begin(() => consider(env, turn, model, abort.signal));
  };
  return {
    consider: (turn) => {
      if (abort.signal.aborted) return;
      ended.push(turn);
      if (ended.length === 1) begin(considerAll);
    },
    stop: async () => {
      abort.abort();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function consider(env: Environment, { id, projectId }: Turn, model: Lock, signal: AbortSignal): Promise<void> {
  const attempt = await nextAttempt(env, projectId);
  if (attempt === null) return;
  const beginning = await beginningOf(env, projectId, await env.store.nodesOfTurn(projectId, id));
  if (beginning === null) return;
  const { name } = await env.store.getProject(projectId);
  // A person named it: that is its name.
  if (name !== titleFrom(beginning.question)) return;
  // Nobody can be asked here: the first line is a title as well.
  if ((await budgetFor(env, projectId, model))?.refusedBy != null) return;
  await attemptTitle(env, { projectId, model, attempt, name, ...beginning }, signal);
}

/** The request that an attempt is filed under. A store admits a request once, whichever servers ask for it. */
const requestOf = (attempt: number): string => `bough:title:${attempt}`;

/** Null where a title was written, is being written, or was tried often enough. */
async function nextAttempt({ store }: Environment, projectId: ProjectId): Promise<number | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await store.turnOfRequest(projectId, requestOf(attempt));
    if (before === null) return attempt;
    if (before.status === 'complete' || before.status === 'running') return null;
  }
  return null;
}

interface Beginning {
  readonly question: string;
  readonly answer: string;
}

/** The first message and a reply to it; null where the turn belongs to a conversation that is further on. */
async function beginningOf(
  { store }: Environment,
  projectId: ProjectId,
  nodes: readonly TreeNode[],
): Promise<Beginning | null> {
  const path = [...nodes];
  for (let step = 0; step < STEPS; step += 1) {
    const parent = path[0]?.parentId ?? null;
    if (parent === null) break;
    path.unshift(...(await store.getNodes(projectId, [parent])));
  }
  if (path[0] === undefined || path[0].parentId !== null) return null;
  const answer = path.find(({ role, isError, content }) => role === 'assistant' && !isError && content.trim() !== '');
  const asked = path.filter((node) => node.role === 'user' && !isCanvasNode(node));
  // A client of the gateway may say a lot before the person does.
  const words = asked.map(({ contentBlocks }) =>
    personsWords(contentBlocks.filter(isTextBlock).map(({ text }) => text)),
  );
  const question = words.find((text) => text.trim() !== '') ?? asked[0]?.content;
  return question === undefined || answer === undefined ? null : { question, answer: answer.content };
}

interface TitleWork extends Beginning {
  readonly projectId: ProjectId;
  readonly model: Lock;
  readonly attempt: number;
  /** What it is called so far. */
  readonly name: string;
}

async function attemptTitle(env: Environment, work: TitleWork, signal: AbortSignal): Promise<void> {
  const { projectId, attempt, name } = work;
  const { turn, repeated } = await env.store.beginTurn({
    turn: {
      id: env.ids.turn(),
      projectId,
      branchId: null,
      isThinkingMode: false,
      status: 'running',
      createdAt: env.now().toISOString(),
    },
    owner: env.owner,
    leaseMs: LEASE_MS,
    clientRequestId: requestOf(attempt),
    nodes: [],
  });
  // Another server writes it.
  if (repeated) return;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const written = await writeTitle(env, turn, work, patience);
  await env.store.commitTurn({
    projectId,
    turnId: turn.id,
    owner: env.owner,
    nodes: [],
    calls: written.call === null ? [] : [{ call: written.call, raw: null }],
    renderings: [],
    status: written.title === null ? 'error' : 'complete',
  });
  if (written.call !== null) env.observe({ type: 'call_ended', call: written.call });
  if (written.title !== null) await rename(env, projectId, name, written.title);
}

/** Only what was named by its first line: a name that a person gave meanwhile stays. */
async function rename({ store }: Environment, projectId: ProjectId, from: string, to: string): Promise<void> {
  try {
    await store.updateProject(projectId, { name: to }, { name: from });
    await store.publish({ type: 'changed', projectId });
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'project_changed') throw error;
  }
}
