import type { BranchView } from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import { errorText } from '../view/error-text.ts';
import type { Written } from '../view/message-content.ts';
import { contentOf } from '../view/message-content.ts';
import { branchChanged } from './branch-changes.ts';
import { client } from './client.ts';
import { liveTurns } from './live.ts';
import { sendMessage as post } from './outbox.ts';
import { askingFirst } from './over-budget.ts';
import type { BranchKey, QueuedMessage } from './queue.ts';
import { nextQueued, onQueueChange, queuedBranches, refuseQueued, removeQueued } from './queue.ts';
import { refreshProject } from './queries.ts';

/** One request at a time per branch: a message that is sent must not be overtaken by one that waits behind it. */
const underWay = new Map<string, Promise<void>>();

async function inOrder(key: string, work: () => Promise<void>): Promise<void> {
  const before = underWay.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  underWay.set(key, mine);
  try {
    await mine;
  } finally {
    if (underWay.get(key) === mine) underWay.delete(key);
  }
}

/** Sends a message that was just written: it is on the screen at once. */
export async function sendMessage(projectId: string, branch: BranchView, message: Written): Promise<void> {
  await inOrder(branch.id, () => post(projectId, branch, message));
}

/** Sends a message that waited and follows its turn. Resolves when the project is known to be running it. */
async function sendQueued({ projectId, branchId }: BranchKey, message: QueuedMessage): Promise<void> {
  await inOrder(branchId, async () => {
    const input = { ref: branchId, message: contentOf(message), clientRequestId: message.id };
    await branchChanged(branchId);
    const response = await askingFirst((more) => client.chat(projectId, { ...input, ...more }));
    await liveTurns.adopt(projectId, response);
    await refreshProject(projectId);
  });
}

const draining = new Set<string>();
const AGAIN_MS = 1000;

/** Sends what waits, on whatever branch, while this page is open. Returns a function that stops it. */
export function startSendingQueued(): () => void {
  const look = (): void => {
    for (const branch of queuedBranches()) void drain(branch);
  };
  look();
  return onQueueChange(look);
}

async function drain(branch: BranchKey): Promise<void> {
  const { branchId } = branch;
  if (draining.has(branchId)) return;
  draining.add(branchId);
  try {
    while (nextQueued(branch) !== null) {
      const again = await sendNext(branch);
      if (again === 'never') return;
      if (again === 'later') await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } finally {
    draining.delete(branchId);
  }
}

/** Sends the first message once its branch is idle. A message leaves the queue only when the server has taken it. */
async function sendNext(branch: BranchKey): Promise<'now' | 'later' | 'never'> {
  const { projectId, branchId } = branch;
  try {
    await underWay.get(branchId)?.catch(() => undefined);
    const { branches } = await client.getProject(projectId);
    const current = branches.find(({ id }) => id === branchId);
    if (current === undefined) return 'never';
    if (current.runningTurnId !== null) {
      await liveTurns.ended(projectId, current.runningTurnId);
      return 'now';
    }
  } catch (error) {
    return isRefusal(error) ? 'never' : 'later';
  }
  const next = nextQueued(branch);
  if (next === null) return 'now';
  try {
    await sendQueued(branch, next);
    removeQueued(branch, next.id);
    return 'now';
  } catch (error) {
    if (!isRefusal(error)) return 'later';
    refuseQueued(branch, next.id, errorText(error));
    return 'never';
  }
}

/** A conflict ends with the turn that causes it; anything else that is refused will be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409;
}
