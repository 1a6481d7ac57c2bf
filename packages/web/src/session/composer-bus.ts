import type { Written } from '../view/message-content.ts';
import type { PromptView } from '@bough/api/client';

type Listener = (written: Written) => void;
const listeners = new Set<Listener>();
const sentListeners = new Set<() => void>();

/** A message was sent from this page: the view of the conversation scrolls to its end. */
export function tellSent(): void {
  for (const listener of sentListeners) listener();
}

export function onSent(listener: () => void): () => void {
  sentListeners.add(listener);
  return () => {
    sentListeners.delete(listener);
  };
}

/** Puts words, and files, into the visible composer. */
export function insertIntoComposer(text: string, files: Written['files'] = []): void {
  for (const listener of listeners) listener({ text, files });
}

export function onInsert(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

type PromptListener = (prompt: PromptView) => void;
const promptListeners = new Set<PromptListener>();

/** Puts a prompt of the library into the visible composer, which first asks for its variables. */
export function choosePrompt(prompt: PromptView): void {
  for (const listener of promptListeners) listener(prompt);
}

export function onPrompt(listener: PromptListener): () => void {
  promptListeners.add(listener);
  return () => {
    promptListeners.delete(listener);
  };
}

/** Whether there is a composer that takes prompts. */
export const takesPrompts = (): boolean => promptListeners.size > 0;

// Which branch's composer gets the keyboard focus as soon as it is in the page. Whoever makes something by a button
// that then disappears would otherwise continue from the top of the page.
let wanted: string | null = null;

export const composerKey = (projectId: string, branch: string): string => `${projectId} ${branch}`;

export function focusComposerOf(projectId: string, branch: string): void {
  wanted = composerKey(projectId, branch);
  takeComposerFocus();
}

/** Gives the wanted composer the focus, if it is there and no dialog holds the focus. Returns whether it did. */
export function takeComposerFocus(): boolean {
  const composer = document.getElementById('composer');
  if (wanted === null || composer?.dataset['branch'] !== wanted) return false;
  if (document.querySelector('[role="dialog"][data-state="open"]') !== null) return false;
  wanted = null;
  composer.focus();
  return true;
}
