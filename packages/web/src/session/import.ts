import type { ImportLine, ImportReport } from '@bough/api/client';
import { useSyncExternalStore } from 'react';
import { client } from './client.ts';
import { readAgain } from './queries.ts';
import { tell } from './refusal-words.ts';

/** How far an import is. It goes on while the reader looks at other pages. */
export type ImportState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'uploading'; readonly file: File; readonly sent: number }
  | {
      readonly kind: 'reading';
      readonly file: File;
      /** Null until the server has told how far it is. */
      readonly pass: 'checking' | 'writing' | null;
      readonly conversations: number;
    }
  | { readonly kind: 'done'; readonly report: ImportReport }
  | { readonly kind: 'tooLarge'; readonly size: number; readonly limit: number }
  | { readonly kind: 'failed'; readonly file: File; readonly code: string; readonly detail: string }
  | { readonly kind: 'cancelled'; readonly written: number };

let state: ImportState = { kind: 'idle' };
let request: XMLHttpRequest | null = null;
const listeners = new Set<() => void>();

function set(next: ImportState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function useImport(): ImportState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

export const forgetImport = (): void => set({ kind: 'idle' });

const isRunning = (): boolean => state.kind === 'uploading' || state.kind === 'reading';

/** Sends a file and follows its import. One at a time: a second one waits for the reader to be done with the first. */
export async function startImport(file: File, onError: 'skip' | 'stop' = 'stop'): Promise<void> {
  if (isRunning()) return;
  set({ kind: 'uploading', file, sent: 0 });
  try {
    const { maxBytes } = await client.importLimits();
    if (file.size > maxBytes) return set({ kind: 'tooLarge', size: file.size, limit: maxBytes });
  } catch (error) {
    return fail(file, 'unreachable', error instanceof Error ? error.message : String(error));
  }
  send(file, onError);
}

/** What was written stays, and is said. */
export function cancelImport(): void {
  const written = state.kind === 'reading' && state.pass === 'writing' ? state.conversations : 0;
  const sent = request;
  request = null;
  sent?.abort();
  set({ kind: 'cancelled', written });
  if (written > 0) void readAgain(['projects']);
}

/** The server's words, or the reader's own where there are some for the code. */
async function fail(file: File, code: string, said: string): Promise<void> {
  request = null;
  const before = state;
  // Its last sentence is the page's own.
  const detail = await tell({ code, message: said.replace(/ Nothing was imported\.$/, '') });
  if (state === before) set({ kind: 'failed', file, code, detail });
}

/** Not with fetch: it does not tell how much of a body has been sent. */
function send(file: File, onError: 'skip' | 'stop'): void {
  const sent = new XMLHttpRequest();
  request = sent;
  const isOurs = (): boolean => request === sent;
  let read = 0;
  const readLines = (): void => {
    const end = sent.responseText.lastIndexOf('\n') + 1;
    const lines = sent.responseText.slice(read, end).split('\n').filter(Boolean);
    read = Math.max(read, end);
    for (const line of lines) take(file, JSON.parse(line) as ImportLine);
  };
  sent.upload.addEventListener('progress', ({ loaded }) => {
    if (isOurs()) set({ kind: 'uploading', file, sent: Math.min(loaded, file.size) });
  });
  sent.upload.addEventListener('load', () => {
    if (isOurs()) set({ kind: 'reading', file, pass: null, conversations: 0 });
  });
  sent.addEventListener('progress', () => {
    if (isOurs() && sent.status === 200) readLines();
  });
  sent.addEventListener('load', () => {
    if (!isOurs()) return;
    if (sent.status === 200) readLines();
    else refuse(file, sent.responseText);
    if (isOurs()) void fail(file, 'unreachable', '');
  });
  sent.addEventListener('error', () => {
    if (isOurs()) void fail(file, 'unreachable', '');
  });
  sent.open('POST', `/api/import?${new URLSearchParams({ name: file.name.slice(-200), onError }).toString()}`);
  sent.setRequestHeader('content-type', 'application/octet-stream');
  sent.send(file);
}

function take(file: File, line: ImportLine): void {
  if (line.type === 'progress') set({ ...line, kind: 'reading', file });
  else if (line.type === 'error') void fail(file, line.code, line.detail);
  else if (line.type === 'report') {
    request = null;
    set({ kind: 'done', report: line.report });
    void readAgain(['projects']);
  }
}

function refuse(file: File, text: string): void {
  try {
    const { code, detail } = JSON.parse(text) as { readonly code: string; readonly detail: string };
    void fail(file, code, detail);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    void fail(file, 'unreachable', '');
  }
}
