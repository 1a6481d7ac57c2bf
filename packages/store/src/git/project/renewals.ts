import { join } from 'node:path';
import { isPlainObject } from '@bough/core';
import type { OpenTurn } from '../meta/records.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { readIfThere } from '../../on-disk/disk/index.ts';

// A lease is renewed every few seconds. That is not an event of the conversation, so it is kept in a plain file, not in
// a commit.

const fileOf = (gitDir: string): string => join(gitDir, 'bough', 'leases.json');

export async function writeRenewals(gitDir: string, turns: Iterable<OpenTurn>): Promise<void> {
  const leases = [...turns].map(({ turn, owner, leaseUntil }) => [turn.id, { owner, leaseUntil }]);
  await replaceFile(fileOf(gitDir), Buffer.from(JSON.stringify(Object.fromEntries(leases))), true);
}

/** The turns with the latest ends of their leases. A renewal counts only for the owner it was made for. */
export async function withRenewals(gitDir: string, turns: readonly OpenTurn[]): Promise<readonly OpenTurn[]> {
  const bytes = turns.length > 0 ? await readIfThere(fileOf(gitDir)) : null;
  if (bytes === null) return turns;
  const leases = parsed(bytes);
  return turns.map((open) => {
    const lease = isPlainObject(leases) ? leases[open.turn.id] : undefined;
    if (!isPlainObject(lease) || lease['owner'] !== open.owner || typeof lease['leaseUntil'] !== 'number') return open;
    return { ...open, leaseUntil: Math.max(open.leaseUntil, lease['leaseUntil']) };
  });
}

/** A file garbled by a power cut is treated as missing: the leases in the commits count. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
