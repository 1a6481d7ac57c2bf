import type { BranchId, Call, CallId, NodeId, ProjectId, TurnId } from '@bough/core';
import { THINKING_CAP_BYTES } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Store } from '@bough/store';
import type { ToolBox } from './tools/tool.ts';

/** The providers that can be called. */
export interface ProviderSet {
  /** An unknown id is an error, never a different provider. */
  readonly get: (id: string) => Provider;
  readonly list: () => readonly Provider[];
  /** What a project without preferences starts with. */
  readonly defaults: () => { readonly provider: string; readonly model: string };
}

/** Unguessable ids. */
export interface Ids {
  readonly project: () => ProjectId;
  readonly branch: () => BranchId;
  readonly turn: () => TurnId;
  readonly node: () => NodeId;
  readonly call: () => CallId;
  readonly trash: () => string;
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
}
