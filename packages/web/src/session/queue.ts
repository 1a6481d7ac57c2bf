import { useSyncExternalStore } from 'react';
import type { Written } from '../view/message-content.ts';
import { readFiles } from '../view/message-content.ts';
import { newId } from './new-id.ts';
import { readStored, storedKeys, writeStored } from './stored.ts';

/** A message that was written while a turn ran. */
export interface QueuedMessage extends Written {
  /** Also the id of the request that sends it: two tabs that send it at the same time start one turn. */
  readonly id: string;
  /** Why the server refused it; it waits until somebody decides. */
  readonly problem?: string;
}

export interface BranchKey {
  readonly projectId: string;
  readonly branchId: string;
}

// What waits to be sent, per branch, in order. Kept in the browser, so that neither another project nor a reload nor
// a crash loses it.
const PREFIX = 'bough.queue.';
const NONE: readonly QueuedMessage[] = [];
const keyOf = ({ projectId, branchId }: BranchKey): string => `${PREFIX}${projectId}.${branchId}`;
/** What is being edited, and what it has become so far. It is not sent meanwhile, even if its branch is left. */
const held = new Map<string, string>();
const listeners = new Set<() => void>();
const parsed = new Map<string, { readonly raw: string | null; readonly messages: readonly QueuedMessage[] }>();
/** In a browser that stores nothing, what waits at least survives opening another project. */
const unsaved = new Map<string, string>();

export function readQueue(branch: BranchKey): readonly QueuedMessage[] {
  const key = keyOf(branch);
  const raw = unsaved.get(key) ?? readStored(key);
  const known = parsed.get(key);
  if (known?.raw === raw) return known.messages;
  const messages = parse(raw);
  parsed.set(key, { raw, messages });
  return messages;
}

export function enqueue(branch: BranchKey, written: Written): void {
  write(branch, [...readQueue(branch), { id: newId(), ...written }]);
}

export function removeQueued(branch: BranchKey, id: string): void {
  held.delete(id);
  write(
    branch,
    readQueue(branch).filter((each) => each.id !== id),
  );
}

/** Another text is another request: it gets an id of its own, and a refusal of the earlier one no longer counts. */
export function changeQueued(branch: BranchKey, id: string, text: string): void {
  held.delete(id);
  write(
    branch,
    readQueue(branch).map((each) => (each.id === id ? { id: newId(), text, files: each.files } : each)),
  );
}

export function refuseQueued(branch: BranchKey, id: string, problem: string): void {
  write(
    branch,
    readQueue(branch).map((each) => (each.id === id ? { ...each, problem } : each)),
  );
}

export function holdQueued(id: string, draft: string): void {
  held.set(id, draft);
}

export const heldDraft = (id: string): string | null => held.get(id) ?? null;

export function releaseQueued(id: string): void {
  held.delete(id);
  tell();
}

/** The message to send now; null while the first one is edited, or was refused. */
export function nextQueued(branch: BranchKey): QueuedMessage | null {
  const [first] = readQueue(branch);
  return first === undefined || first.problem !== undefined || held.has(first.id) ? null : first;
}

export function queuedBranches(): readonly BranchKey[] {
  return [...new Set([...storedKeys(PREFIX), ...unsaved.keys()])].flatMap((key) => {
    const [projectId, branchId] = key.slice(PREFIX.length).split('.');
    return projectId === undefined || branchId === undefined ? [] : [{ projectId, branchId }];
  });
}

export function onQueueChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useQueue(branch: BranchKey): readonly QueuedMessage[] {
  return useSyncExternalStore(onQueueChange, () => readQueue(branch));
}

function write(branch: BranchKey, messages: readonly QueuedMessage[]): void {
  const key = keyOf(branch);
  const raw = messages.length === 0 ? null : JSON.stringify(messages);
  writeStored(key, raw);
  if (raw === null || readStored(key) === raw) unsaved.delete(key);
  else unsaved.set(key, raw);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Only this page writes it; what it cannot read is not a queue. */
function parse(raw: string | null): readonly QueuedMessage[] {
  if (raw === null) return NONE;
  try {
    const messages: unknown = JSON.parse(raw);
    return Array.isArray(messages)
      ? messages.filter(isQueued).map((each) => ({ ...each, files: readFiles(each.files) }))
      : NONE;
  } catch (error) {
    if (error instanceof SyntaxError) return NONE;
    throw error;
  }
}

function isQueued(value: unknown): value is QueuedMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'text' in value &&
    typeof value.id === 'string' &&
    typeof value.text === 'string'
  );
}
