import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ProjectId } from '@bough/core';
import type { Budgets, Engine, ToolBox } from '@bough/engine';
import type { Store } from '@bough/store';
import type { Config } from '../config/index.ts';
import type { Scratch } from '../scratch/index.ts';
import type { ServedGateway } from '../gateway/index.ts';
import type { GatewayModes } from '../gateway/modes.ts';
import type { StoredSettings } from '../keys/index.ts';
import type { Metrics } from '../metrics/index.ts';
import type { ApprovalSettings } from '../page-settings/approval.ts';
import type { BudgetSettings } from '../page-settings/budgets.ts';
import type { DeploymentSettings } from '../page-settings/deployments.ts';
import type { ToolServers } from '../page-settings/tool-servers.ts';
import type { LiveProviders } from '../providers/index.ts';
import type { StoreTrouble } from '../store-health/index.ts';
import type { AboutBranches } from '../views/index.ts';

/** What the handlers work with. */
export interface Parts {
  readonly config: Config;
  readonly engine: Engine;
  readonly store: Store;
  readonly tools: ToolBox;
  readonly providers: LiveProviders;
  readonly settings: StoredSettings;
  readonly deployments: DeploymentSettings;
  readonly toolServers: ToolServers;
  readonly approval: ApprovalSettings;
  readonly budgets: Budgets;
  readonly budgetSettings: BudgetSettings;
  readonly metrics: Metrics;
  readonly scratch: Scratch;
  readonly gateway: ServedGateway;
  readonly modes: GatewayModes;
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

/** For the first branch of a project: nothing runs on it, and it was used when it was made. */
export const NEW_BRANCH: AboutBranches = { running: new Map(), facts: {} };

export async function aboutBranches(store: Store, project: ProjectId): Promise<AboutBranches> {
  const [open, facts] = await Promise.all([store.openTurns(project), store.branchFacts(project)]);
  const running = open.flatMap((turn) => (turn.branchId === null ? [] : [[turn.branchId, turn.id] as const]));
  return { running: new Map(running), facts };
}
