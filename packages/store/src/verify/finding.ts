import type { BranchId, NodeId, ProjectId, TurnId } from '@bough/core';
import type { DerivedFields } from '../store.ts';

export type FindingCode =
  | 'unreadable'
  | 'parent_missing'
  | 'parents_in_a_circle'
  | 'tip_missing'
  | 'fork_point_missing'
  | 'turn_missing'
  | 'turn_without_nodes'
  | 'turn_without_reply'
  | 'turn_torn'
  | 'turn_open'
  | 'tool_result_without_call'
  | 'tool_call_without_result'
  | 'tool_result_twice'
  | 'match_key_differs'
  | 'content_differs'
  | 'call_points_nowhere'
  | 'request_incomplete'
  | 'blocks_differ_from_raw'
  | 'raw_unreadable'
  | 'file_missing'
  | 'file_damaged'
  | 'file_unused';

/**
 * `error`: the store violates an invariant. `warning`: a conversation may suffer. `note`: worth knowing, maybe nothing.
 */
export type Severity = 'error' | 'warning' | 'note';

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly projectId: ProjectId | null;
  /** What it is about, such as `node abc`. */
  readonly subject: string;
  readonly message: string;
  /** What would repair it without inventing anything; null where only a person can. */
  readonly repair: Repair | null;
}

/** Changes that lose nothing and invent nothing. */
export type Repair =
  | {
      readonly type: 'move_tip';
      readonly projectId: ProjectId;
      readonly branchId: BranchId;
      readonly expected: NodeId;
      readonly next: NodeId | null;
    }
  | { readonly type: 'close_turn'; readonly projectId: ProjectId; readonly turnId: TurnId }
  | { readonly type: 'remove_unused_files'; readonly putBefore: string }
  | { readonly type: 'rederive'; readonly projectId: ProjectId; readonly node: DerivedFields };
