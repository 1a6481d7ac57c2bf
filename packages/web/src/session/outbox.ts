import { ApiError } from '@bough/api/client';
import type { BranchView } from '@bough/api/client';
import { useSyncExternalStore } from 'react';
import { errorText } from '../view/error-text.ts';
import type { Written } from '../view/message-content.ts';
import { contentOf, readFiles } from '../view/message-content.ts';
import { branchChanged } from './branch-changes.ts';
import { client } from './client.ts';
import { liveTurns } from './live.ts';
import { newId } from './new-id.ts';
import { askingFirst } from './over-budget.ts';

/** A message on its way: on the screen from the moment it is sent until the branch holds it. */
export interface Outgoing extends Written {
  /** Sent along: however often the message is sent, it begins one turn. */
  readonly requestId: string;
  /** What the branch ended with when it was sent. */
  readonly tipId: string | null;
  /** Why it could not be sent; null while it is on its way. */
  readonly problem: string | null;
}

const NOTHING: readonly Outgoing[] = [];
const boxes = new Map<string, readonly Outgoing[]>();
const listeners = new Set<() => void>();
const keyOf = (projectId: string, branchId: string): string => `bough.unsent.${projectId}.${branchId}`;

/**
 * Sends a message. It stays in the outbox if the server could not be reached, and can be sent again from there; what
 * the server refuses is the caller's to report, because only another message would be accepted.
 */
export async function sendMessage(
  projectId: string,
  branch: BranchView,
  written: Written,
  requestId: string = newId(),
): Promise<void> {
  const key = keyOf(projectId, branch.id);
  const outgoing: Outgoing = { requestId, ...written, tipId: branch.tipId, problem: null };
  put(key, outgoing);
  try {
    const message = { ref: branch.id, message: contentOf(written), clientRequestId: requestId };
    await askingFirst((more) => {
      const started = branchChanged(branch.id)
        .then(() => client.chat(projectId, { ...message, ...more }))
        .then((response) => liveTurns.adopt(projectId, response));
      liveTurns.expect(started);
      return started;
    });
    take(key, requestId);
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
      take(key, requestId);
      throw error;
    }
    put(key, { ...outgoing, problem: errorText(error) });
  }
}

/** Takes a message out of the outbox, to be written anew. */
export function takeBack(projectId: string, branchId: string, requestId: string): void {
  take(keyOf(projectId, branchId), requestId);
}

export function useOutbox(projectId: string, branchId: string): readonly Outgoing[] {
  const key = keyOf(projectId, branchId);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => boxOf(key),
  );
}

function put(key: string, outgoing: Outgoing): void {
  const others = boxOf(key).filter(({ requestId }) => requestId !== outgoing.requestId);
  set(key, [...others, outgoing]);
}

function take(key: string, requestId: string): void {
  set(
    key,
    boxOf(key).filter((each) => each.requestId !== requestId),
  );
}

function boxOf(key: string): readonly Outgoing[] {
  const known = boxes.get(key);
  if (known !== undefined) return known;
  const stored = read(key);
  boxes.set(key, stored);
  return stored;
}

function set(key: string, box: readonly Outgoing[]): void {
  boxes.set(key, box.length === 0 ? NOTHING : box);
  write(key, box);
  for (const listener of listeners) listener();
}

/** What was not confirmed before the page was closed. Sending it again is harmless: it begins one turn. */
function read(key: string): readonly Outgoing[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored)
      ? stored.filter(isOutgoing).map((each) => ({ ...each, files: readFiles(each.files), problem: '' }))
      : NOTHING;
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) return NOTHING;
    throw error;
  }
}

function write(key: string, box: readonly Outgoing[]): void {
  try {
    if (box.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(box));
  } catch (error) {
    // A browser that stores nothing still shows it.
    if (!(error instanceof DOMException)) throw error;
  }
}

function isOutgoing(value: unknown): value is Outgoing {
  return (
    typeof value === 'object' &&
    value !== null &&
    'requestId' in value &&
    typeof value.requestId === 'string' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'tipId' in value &&
    (value.tipId === null || typeof value.tipId === 'string')
  );
}
