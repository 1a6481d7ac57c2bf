import type { RefMove } from '../refs/move.ts';
import { subjectOf } from '../objects/commit-object.ts';

/**
 * What a commit of `refs/bough/meta` says besides its subject. A write that moves several refs names them here: the
 * write happens with this commit, and a reader that finds the other refs lagging moves them.
 */
export interface MetaNote {
  /** The last number that was given to a turn, a call or a branch. */
  readonly sequence: number;
  readonly moves: readonly RefMove[];
}

export function writeNote(subject: string, { sequence, moves }: MetaNote): string {
  const lines = moves.map(({ ref, from, to }) => `Move: ${ref} ${from ?? '-'} ${to ?? '-'}`);
  return [subjectOf(subject), '', `Sequence: ${sequence}`, ...lines].join('\n');
}

export function readNote(message: string): MetaNote {
  const sequence = /^Sequence: (\d+)$/m.exec(message)?.[1] ?? '0';
  const moves = [...message.matchAll(/^Move: (\S+) ([0-9a-f]{40}|-) ([0-9a-f]{40}|-)$/gm)];
  return {
    sequence: Number(sequence),
    moves: moves.map(([, ref = '', from = '-', to = '-']) => ({ ref, from: oidOrNull(from), to: oidOrNull(to) })),
  };
}

const oidOrNull = (word: string): string | null => (word === '-' ? null : word);
