import type { Repository } from '../repository/repository.ts';
import type { ObjectBatch } from '../objects/object-batch.ts';
import type { RefMove } from '../refs/move.ts';

/** A write being assembled. Nothing of it is visible before `commit`. */
export interface PlannedCommit {
  /** The subject of the commit that records it. */
  readonly summary: string;
  readonly objects: ObjectBatch;
  readonly moves: RefMove[];
  /** Files of `refs/bough/meta`, by path; null removes one. */
  readonly files: Map<string, Content | null>;
  /** The last number given to a turn, a call or a branch. */
  sequence: number;
  /**
   * Set by a deletion: the history of `refs/bough/meta` starts afresh, so that what was deleted can vanish from the
   * disk.
   */
  forgetsHistory: boolean;
  /** Set where more than the refs must be noted: even a write that moves one ref is then a commit of the meta ref. */
  isNoted: boolean;
}

/** What a file is to hold: bytes, or a blob that is already among the draft's objects. */
export type Content = Buffer | { readonly blob: string };

export function newDraft(repository: Repository, summary: string, sequence: number): PlannedCommit {
  return {
    summary,
    objects: repository.newObjects(),
    moves: [],
    files: new Map(),
    sequence,
    forgetsHistory: false,
    isNoted: false,
  };
}

export function nextNumber(draft: PlannedCommit): number {
  draft.sequence += 1;
  return draft.sequence;
}
