import type { UploadView } from '@bough/api/client';
import type { AttachedBlock, ImageBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { errorText } from '../view/error-text.ts';
import { readFiles } from '../view/message-content.ts';
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

/** The files of a draft. They survive a reload: the server keeps what was uploaded for two days. */
export function useAttachments(draft: string, given: readonly AttachedBlock[] = []): Attachments {
  const key = `bough.files.${draft}`;
  const [all, setAll] = useState<readonly Attachment[]>(() => readKept(key)?.map(ready) ?? given.map(ready));
  const uploads = useRef(new Uploads());
  const change = useCallback((id: string, next: Partial<Attachment>) => {
    setAll((before) => before.map((each) => (each.id === id ? { ...each, ...next } : each)));
  }, []);
  const addBlocks = useCallback(
    (more: readonly AttachedBlock[]) => setAll((before) => [...before, ...more.map(ready)]),
    [],
  );
  const blocks = all.flatMap(({ block }) => block ?? []);
  const kept = JSON.stringify(blocks);
  const original = JSON.stringify(given);
  useEffect(() => {
    writeStored(key, kept === original ? null : kept);
    for (const listener of listeners) listener();
  }, [key, kept, original]);
  // Leaving the page for another branch: what has not arrived by then is not part of the draft.
  useEffect(() => {
    const mine = uploads.current;
    return () => mine.cancelAll();
  }, []);
  return {
    all,
    blocks,
    isBusy: all.some(({ block, problem }) => block === null && problem === null),
    hasFailed: all.some(({ problem }) => problem !== null),
    add: (files) => {
      for (const file of files) {
        const id = newId();
        const { name, size } = file;
        setAll((before) => [...before, { id, name, size, progress: 0, block: null, notes: [], problem: null }]);
        uploads.current.begin(id, async (signal) => {
          try {
            const { block, notes } = await upload(file, (progress) => change(id, { progress }), signal);
            if (!isAttachedBlock(block)) throw new Error(`The server answered with a block of the type ${block.type}.`);
            change(id, { block, notes, progress: 1 });
          } catch (error) {
            if (!signal.aborted) change(id, { problem: errorText(error) });
          }
        });
      }
    },
    remove: (id) => {
      uploads.current.cancel(id);
      setAll((before) => before.filter((each) => each.id !== id));
    },
    replace: (next) => {
      uploads.current.cancelAll();
      setAll(next.map(ready));
    },
    addBlocks,
    setAlt: (id, alt) =>
      setAll((before) =>
        before.map((each) =>
          each.id === id && each.block?.type === 'image' ? { ...each, block: withAlt(each.block, alt) } : each,
        ),
      ),
  };
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

  cancelAll(): void {
    this.#waiting.length = 0;
    for (const controller of this.#running.values()) controller.abort();
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

let made = 0;

function newId(): string {
  made += 1;
  return `file ${made}`;
}

function readKept(key: string): readonly AttachedBlock[] | null {
  return parse(readStored(key));
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
  writeStored(`bough.files.${draft}`, blocks.length === 0 ? null : JSON.stringify(blocks));
}

const listeners = new Set<() => void>();

/** The files of a draft as they are now, for panels next to the composer. */
export function useDraftFiles(draft: string): readonly AttachedBlock[] {
  const stored = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readStored(`bough.files.${draft}`),
  );
  return useMemo(() => parse(stored) ?? [], [stored]);
}

export const draftOf = (projectId: string, branchId: string): string => `${projectId}.${branchId}`;
