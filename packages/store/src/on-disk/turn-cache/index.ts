import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CachedTurn, NodeId, ProjectId } from '@bough/core';
import { eachOf } from '../disk/index.ts';
import { fileNameOf } from '../file-names/index.ts';

/**
 * Cached turns as files, one each. They are kept next to the store, not in it: a git history would keep them for ever,
 * and handing over a directory must not hand over the content of our requests. Nothing here is essential: what cannot
 * be read counts as not cached, what cannot be written is made again, and the directory may be removed at any time.
 */
export interface TurnCache {
  /** The cached turns of these nodes, in their order. */
  readonly read: (project: ProjectId, slot: string, nodes: readonly NodeId[]) => Promise<readonly CachedTurn[]>;
  readonly write: (project: ProjectId, turns: readonly CachedTurn[]) => Promise<void>;
  readonly forget: (project: ProjectId, nodes: readonly NodeId[]) => Promise<void>;
  readonly forgetProject: (project: ProjectId) => Promise<void>;
}

/** How many files are read or written at a time. */
const WIDTH = 16;

export function turnCacheAt(root: string): TurnCache {
  const projectAt = (project: ProjectId): string => join(root, fileNameOf(project));
  return {
    read: async (project, slot, nodes) => {
      const directory = join(projectAt(project), slot);
      const there = new Set(await readdir(directory).catch(() => []));
      const found = nodes.filter((id) => there.has(fileNameOf(id)));
      const turns = new Map<NodeId, CachedTurn>();
      await eachOf(found, WIDTH, async (id) => {
        const turn = await readFile(join(directory, fileNameOf(id))).then(
          (file) => parse(file, id, slot),
          () => null,
        );
        if (turn !== null) turns.set(id, turn);
      });
      return found.flatMap((id) => turns.get(id) ?? []);
    },

    write: (project, turns) =>
      eachOf(turns, WIDTH, async (turn) => {
        const directory = join(projectAt(project), turn.slot);
        const draft = join(directory, `.${randomUUID()}`);
        try {
          await mkdir(directory, { recursive: true, mode: 0o700 });
          await writeFile(draft, text(turn), { mode: 0o600 });
          await rename(draft, join(directory, fileNameOf(turn.nodeId)));
        } catch {
          await rm(draft, { force: true }).catch(() => undefined);
        }
      }),

    forget: async (project, nodes) => {
      const names = new Set(nodes.map(fileNameOf));
      const slots = await readdir(projectAt(project)).catch(() => []);
      for (const slot of slots) {
        const directory = join(projectAt(project), slot);
        const gone = (await readdir(directory).catch(() => [])).filter((name) => names.has(name));
        for (const name of gone) await rm(join(directory, name), { force: true }).catch(() => undefined);
      }
    },

    forgetProject: (project) => rm(projectAt(project), { recursive: true, force: true }).catch(() => undefined),
  };
}

/**
 * A line with a checksum, a line about the turn, and its bytes. Nothing is synced: the checksum reveals what a power
 * cut tore.
 */
function text({ nodeId, key, facts, bytes }: CachedTurn): Buffer {
  const checked = Buffer.concat([Buffer.from(`${JSON.stringify([nodeId, key, facts])}\n`), bytes]);
  return Buffer.concat([Buffer.from(`${crc32(checked)}\n`), checked]);
}

function parse(file: Buffer, id: NodeId, slot: string): CachedTurn | null {
  const head = file.indexOf('\n') + 1;
  const checked = file.subarray(head);
  if (file.toString('latin1', 0, head) !== `${crc32(checked)}\n`) return null;
  const end = checked.indexOf('\n');
  const [nodeId, key, facts] = JSON.parse(checked.toString('utf8', 0, end)) as readonly [NodeId, string, string];
  return nodeId === id ? { nodeId, slot, key, facts, bytes: checked.subarray(end + 1) } : null;
}
