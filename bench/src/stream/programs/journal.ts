import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** A file that everybody writes to, synced: what is given while a sync is under way shares the next one. */
export async function openJournal(path: string): Promise<(text: string) => Promise<void>> {
  const file: FileHandle = await open(path, 'a');
  let waiting = '';
  let next: Promise<void> | null = null;
  let current: Promise<void> = Promise.resolve();
  const sync = async (): Promise<void> => {
    await current;
    const text = waiting;
    waiting = '';
    next = null;
    current = (async () => {
      await file.appendFile(text);
      await file.datasync();
    })();
    await current;
  };
  return (text) => {
    waiting += text;
    next ??= sync();
    return next;
  };
}
