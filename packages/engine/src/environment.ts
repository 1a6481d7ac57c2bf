import type { BranchId, Call, CallId, Lock, NodeId, ProjectId, ToolDefinition, TurnId } from '@bough/core';
import { THINKING_CAP_BYTES } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Store } from '@bough/store';
import type { BudgetEvent, Budgets } from './budgets/index.ts';
import type { KeepFile } from './tools/files/index.ts';
import type { ToolBox } from './tools/tool.ts';

/** The providers that can be called. */
export interface ProviderSet {
  /** An unknown id is an error, never a different provider. */
  readonly get: (id: string) => Provider;
  readonly list: () => readonly Provider[];
  /** What a project without preferences starts with: what people chose, if that exists. */
  readonly defaults: (chosen: Lock | null) => Lock;
}

/** Unguessable ids. */
export interface Ids {
  readonly project: () => ProjectId;
  readonly branch: () => BranchId;
  readonly turn: () => TurnId;
  readonly node: () => NodeId;
  readonly call: () => CallId;
  readonly trash: () => string;
  /** A preset or a prompt. */
  readonly item: () => string;
}

export interface EngineLimits {
  /** Calls per turn: a model that keeps calling tools is stopped here. */
  readonly maxCallsPerTurn: number;
  /** How long an owner keeps a turn without renewing it. A busy owner asks for more. */
  readonly leaseMs: number;
  /** How often leases are renewed and dead owners are looked for. */
  readonly heartbeatMs: number;
  readonly thinkingCapBytes: number;
  /** Whether raw responses are written; reads tolerate their absence. */
  readonly keepRaw: boolean;
}

export const DEFAULT_LIMITS: EngineLimits = {
  maxCallsPerTurn: 16,
  // An owner that stalls for two seconds keeps its turns; the turns of one that died are closed in less than three.
  leaseMs: 2_600,
  heartbeatMs: 400,
  thinkingCapBytes: THINKING_CAP_BYTES,
  keepRaw: true,
};

/** Something happened that an operator may want to count or read. No content, no secrets. */
export type EngineEvent =
  | { readonly type: 'turn_started' | 'turn_recovered'; readonly turnId: TurnId }
  | { readonly type: 'turn_ended'; readonly turnId: TurnId; readonly status: string; readonly durationMs: number }
  | { readonly type: 'call_ended'; readonly call: Call }
  | { readonly type: 'dropped'; readonly reason: string; readonly count: number }
  | { readonly type: 'violation'; readonly rule: string; readonly repaired: boolean }
  | BudgetEvent
  | { readonly type: 'problem'; readonly what: string; readonly message: string };

/** Everything that the engine works with, passed in as values. */
export interface Environment {
  readonly store: Store;
  readonly providers: ProviderSet;
  readonly tools: ToolBox;
  readonly ids: Ids;
  readonly now: () => Date;
  /** Names this process among those that share the store. */
  readonly owner: string;
  readonly limits: EngineLimits;
  readonly observe: (event: EngineEvent) => void;
  /** Keeps what tools and models bring, fitted as if a person had attached it. Absent: as it comes. */
  readonly keepFile?: KeepFile;
  /** The tools that a client offered in a call that was recorded. Absent: nobody knows. */
  readonly offeredTools?: (call: Call) => Promise<readonly ToolDefinition[]>;
  /** Absent: nothing is limited. */
  readonly budgets?: Budgets;
}
