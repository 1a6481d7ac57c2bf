import type { UploadView } from '@bough/api/client';
import type { AttachedBlock, ImageBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { errorText } from '../view/error-text.ts';
import { readFiles } from '../view/message-content.ts';
import { tell as words } from './refusal-words.ts';
import { readStored, writeStored } from './stored.ts';
import { upload } from './upload.ts';

/** A file of a draft: on its way to the server, there, or refused. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** The share that has been sent; 1: the server is fitting it. */
  readonly progress: number;
  /** What goes into the message, once the server has it. */
  readonly block: AttachedBlock | null;
  /** What a person should know of it, for example that only the first frame is sent. */
  readonly notes: UploadView['notes'];
  readonly problem: string | null;
}

export interface Attachments {
  readonly all: readonly Attachment[];
  /** Those that are ready to be sent. */
  readonly blocks: readonly AttachedBlock[];
  /** Something is still on its way. */
  readonly isBusy: boolean;
  /** Something could not be attached. */
  readonly hasFailed: boolean;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (id: string) => void;
  /** In place of what is there: after sending, or when a message that was not sent returns. */
  readonly replace: (blocks: readonly AttachedBlock[]) => void;
  readonly addBlocks: (blocks: readonly AttachedBlock[]) => void;
  readonly setAlt: (id: string, alt: string) => void;
}

const AT_ONCE = 3;
const NONE: readonly AttachedBlock[] = [];

/**
 * The files of a draft. Those that the server has survive a reload, for two days. Those on their way, and those that
 * were refused, wait here while their branch is not on the page.
 */
export function useAttachments(draft: string, given: readonly AttachedBlock[] = NONE): Attachments {
  const key = keyOf(draft);
  const all = useSyncExternalStore(listen, () => openDraft(key, given).all);
  const addBlocks = useCallback(
    (more: readonly AttachedBlock[]) => change(key, (before) => [...before, ...more.map(ready)]),
    [key],
  );
  return {
    all,
    blocks: blocksOf(all),
    isBusy: all.some(isOnItsWay),
    hasFailed: all.some(({ problem }) => problem !== null),
    add: (files) => {
      for (const file of files) add(key, file);
    },
    remove: (id) => {
      uploads.cancel(id);
      change(key, (before) => before.filter((each) => each.id !== id));
    },
    replace: (next) => replace(key, next),
    addBlocks,
    setAlt: (id, alt) =>
      change(key, (before) =>
        before.map((each) =>
          each.id === id && each.block?.type === 'image' ? { ...each, block: withAlt(each.block, alt) } : each,
        ),
      ),
  };
}

interface Draft {
  /** What the message holds already: nothing but that needs no place in the browser. */
  readonly given: readonly AttachedBlock[];
  readonly all: readonly Attachment[];
}

const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();
const keyOf = (draft: string): string => `bough.files.${draft}`;
const blocksOf = (all: readonly Attachment[]): readonly AttachedBlock[] => all.flatMap(({ block }) => block ?? []);
const isOnItsWay = ({ block, problem }: Attachment): boolean => block === null && problem === null;

function listen(listener: () => void): () => void {
  watch();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function openDraft(key: string, given: readonly AttachedBlock[]): Draft {
  const known = drafts.get(key);
  if (known !== undefined && (known.given === given || isSame(known.given, given))) return known;
  const draft = { given, all: [...readDraft(key, given).map(ready), ...(known?.all ?? []).filter(isUnfinished)] };
  drafts.set(key, draft);
  return draft;
}

const isSame = (some: unknown, others: unknown): boolean => JSON.stringify(some) === JSON.stringify(others);

const isUnfinished = ({ block }: Attachment): boolean => block === null;
const readDraft = (key: string, given: readonly AttachedBlock[]): readonly AttachedBlock[] =>
  parse(readStored(key)) ?? given;

function change(key: string, next: (before: readonly Attachment[]) => readonly Attachment[]): void {
  const { given, all: before } = drafts.get(key) ?? openDraft(key, NONE);
  const all = next(before);
  drafts.set(key, { given, all });
  const blocks = blocksOf(all);
  if (!isSame(blocks, blocksOf(before))) writeStored(key, isSame(blocks, given) ? null : JSON.stringify(blocks));
  for (const listener of listeners) listener();
}

function replace(key: string, next: readonly AttachedBlock[]): void {
  for (const { id } of drafts.get(key)?.all ?? []) uploads.cancel(id);
  change(key, () => next.map(ready));
}

function add(key: string, file: File): void {
  const id = newId();
  const { name, size } = file;
  const tell = (news: Partial<Attachment>): void =>
    change(key, (before) => before.map((each) => (each.id === id ? { ...each, ...news } : each)));
  change(key, (before) => [...before, { id, name, size, progress: 0, block: null, notes: [], problem: null }]);
  uploads.begin(id, async (signal) => {
    try {
      if (!(await isReadable(file))) return tell({ problem: await words(UNREADABLE) });
      const { block, notes } = await upload(file, (progress) => tell({ progress }), signal);
      if (!isAttachedBlock(block)) throw new Error(`The server answered with a block of the type ${block.type}.`);
      tell({ block, notes, progress: 1 });
    } catch (error) {
      if (!signal.aborted) tell({ problem: errorText(error) });
    }
  });
}

/** A folder can be dropped like a file, and a file can be gone by now: either would look like a broken connection. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

const UNREADABLE = {
  code: 'file_not_readable',
  message: 'This cannot be read. Of a folder, choose the files in it; a file that has changed is chosen again.',
};

let isWatching = false;

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  // Another tab has the same draft: what was attached, removed or sent there is so here, too.
  window.addEventListener('storage', ({ key }) => {
    const draft = key === null ? undefined : drafts.get(key);
    if (key === null || draft === undefined) return;
    const known = new Map(draft.all.map((each) => [JSON.stringify(each.block), each]));
    const there = readDraft(key, draft.given).map((block) => known.get(JSON.stringify(block)) ?? ready(block));
    drafts.set(key, { ...draft, all: [...there, ...draft.all.filter(isUnfinished)] });
    for (const listener of listeners) listener();
  });
  // What has not reached the server by then is gone: the browser asks first.
  window.addEventListener('beforeunload', (event) => {
    if ([...drafts.values()].some(({ all }) => all.some(isOnItsWay))) event.preventDefault();
  });
}

function withAlt(block: ImageBlock, alt: string): ImageBlock {
  const { alt: before, ...rest } = block;
  return alt === before ? block : alt.trim() === '' ? rest : { ...rest, alt };
}

function ready(block: AttachedBlock): Attachment {
  return { id: newId(), name: block.name, size: block.file.size, progress: 1, block, notes: [], problem: null };
}

/** Few at a time: twenty at once would each take twenty times as long. */
class Uploads {
  readonly #running = new Map<string, AbortController>();
  readonly #waiting: { readonly id: string; readonly work: (signal: AbortSignal) => Promise<void> }[] = [];

  begin(id: string, work: (signal: AbortSignal) => Promise<void>): void {
    this.#waiting.push({ id, work });
    this.#next();
  }

  cancel(id: string): void {
    const at = this.#waiting.findIndex((each) => each.id === id);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#running.get(id)?.abort();
  }

  #next(): void {
    const next = this.#running.size < AT_ONCE ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    const controller = new AbortController();
    this.#running.set(next.id, controller);
    void next.work(controller.signal).finally(() => {
      this.#running.delete(next.id);
      this.#next();
    });
  }
}

const uploads = new Uploads();
let made = 0;

function newId(): string {
  made += 1;
  return `file ${made}`;
}

function parse(stored: string | null): readonly AttachedBlock[] | null {
  if (stored === null) return null;
  try {
    return readFiles(JSON.parse(stored));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Puts a draft's files where another draft begins, for example when its project has just been created. */
export function keepAttachments(draft: string, blocks: readonly AttachedBlock[]): void {
  replace(keyOf(draft), blocks);
}

/** The files of a draft as they are now, for panels next to the composer. */
export function useDraftFiles(draft: string): readonly AttachedBlock[] {
  const all = useSyncExternalStore(listen, () => openDraft(keyOf(draft), NONE).all);
  return useMemo(() => blocksOf(all), [all]);
}

export const draftOf = (projectId: string, branchId: string): string => `${projectId}.${branchId}`;
