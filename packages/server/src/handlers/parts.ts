import type { OpenAPIHono } from '@hono/zod-openapi';
import type { BranchId, ProjectId, TurnId } from '@bough/core';
import type { Engine, ToolBox } from '@bough/engine';
import type { Store } from '@bough/store';
import type { Config } from '../config/index.ts';
import type { StoredSettings } from '../keys/index.ts';
import type { Metrics } from '../metrics/index.ts';
import type { LiveProviders } from '../providers/index.ts';
import type { StoreTrouble } from '../store-health/index.ts';

/** What the handlers work with. */
export interface Parts {
  readonly config: Config;
  readonly engine: Engine;
  readonly store: Store;
  readonly tools: ToolBox;
  readonly providers: LiveProviders;
  readonly settings: StoredSettings;
  readonly metrics: Metrics;
  /** Why the store cannot be used at the moment; null where it can. */
  readonly storeTrouble: () => Promise<StoreTrouble | null>;
  readonly health: () => 'ok' | 'starting' | 'stopping';
}

export interface RequestVariables {
  readonly Variables: {
    readonly requestId: string;
    /** Who is asking, for the rate limit; absent for clients that were not accepted. */
    readonly client: string | undefined;
  };
}

export type App = OpenAPIHono<RequestVariables>;

/** Which turn is open on which branch. */
export async function runningTurns(store: Store, project: ProjectId): Promise<ReadonlyMap<BranchId, TurnId>> {
  const open = await store.openTurns(project);
  return new Map(open.flatMap((turn) => (turn.branchId === null ? [] : [[turn.branchId, turn.id] as const])));
}
