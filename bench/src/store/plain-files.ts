import { mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keeper, Texts } from './keeper.ts';
import type { Message } from './payload.ts';
import { messagesOf } from './payload.ts';

/**
 * One JSON file per message, as small tools do it; as durable as a database: each file and the directory are synced.
 */
export async function fileKeeper(folder: string, already: readonly Message[]): Promise<Keeper> {
  await mkdir(folder, { recursive: true });
  // What was there before was synced long ago.
  for (const message of already) await writeFile(join(folder, message.id), JSON.stringify(message));
  const walk = async (tip: string, limit: number): Promise<Texts> => {
    const texts: string[] = [];
    for (let at: string | null = tip; at !== null && texts.length < limit;) {
      const message: Message = JSON.parse(await readFile(join(folder, at), 'utf8'));
      texts.push(message.text);
      at = message.parentId;
    }
    return texts.reverse();
  };
  return {
    name: 'one file a node',
    role: 'peer',
    append: async (turn) => {
      for (const message of messagesOf([turn])) await writeSynced(join(folder, message.id), JSON.stringify(message));
      await syncFolder(folder);
    },
    newestPage: walk,
    path: (tip) => walk(tip, Number.POSITIVE_INFINITY),
    bytes: () => bytesOf(folder),
  };
}

/** The whole project in one file of lines, rewritten with every append and put in place by a rename. */
export async function linesKeeper(folder: string, already: readonly Message[]): Promise<Keeper> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nodes.jsonl');
  let lines = already.map((message) => `${JSON.stringify(message)}\n`).join('');
  await writeFile(file, lines);
  const path = async (tip: string): Promise<Texts> => {
    const text = await readFile(file, 'utf8');
    const byId = new Map<string, Message>();
    for (const line of text.trimEnd().split('\n')) {
      const message: Message = JSON.parse(line);
      byId.set(message.id, message);
    }
    const texts: string[] = [];
    for (let at = byId.get(tip); at !== undefined; at = at.parentId === null ? undefined : byId.get(at.parentId)) {
      texts.push(at.text);
    }
    return texts.reverse();
  };
  return {
    name: 'nodes.jsonl rewritten',
    role: 'peer',
    append: async (turn) => {
      for (const message of messagesOf([turn])) lines += `${JSON.stringify(message)}\n`;
      await writeSynced(`${file}.new`, lines);
      await rename(`${file}.new`, file);
      await syncFolder(folder);
    },
    newestPage: async (tip, count) => (await path(tip)).slice(-count),
    path,
    bytes: () => bytesOf(folder),
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Blocks, not lengths: a small file takes a whole block. */
async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).blocks * 512;
  return bytes;
}
