import { open } from 'node:fs/promises';

/** Preallocated, as in databases: a file that grows makes every sync wait for the file system's own journal, too. */
const LENGTH = 64 * 1024 * 1024;

/** A shared file, synced: what is written while a sync is in progress shares the next one. */
export async function openJournal(path: string): Promise<(text: string) => Promise<void>> {
  const file = await open(path, 'w');
  await file.write(Buffer.alloc(LENGTH));
  await file.sync();
  let end = 0;
  let waiting = '';
  let next: Promise<void> | null = null;
  let current: Promise<void> = Promise.resolve();
  const write = async (bytes: Buffer): Promise<void> => {
    if (end + bytes.length > LENGTH) end = 0;
    await file.write(bytes, 0, bytes.length, end);
    end += bytes.length;
    await file.datasync();
  };
  const sync = async (): Promise<void> => {
    await current;
    const bytes = Buffer.from(waiting);
    waiting = '';
    next = null;
    current = write(bytes);
    await current;
  };
  return (text) => {
    waiting += text;
    next ??= sync();
    return next;
  };
}
