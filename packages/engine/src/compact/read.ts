import type { Call, NodeId, ProjectId } from '@bough/core';
import { summaryOn } from '../assemble/summarised.ts';
import type { Environment } from '../environment.ts';

/** The summary that counts on a branch, for people. */
export interface SummaryInPlace {
  readonly id: NodeId;
  /** The last message that it stands for. */
  readonly upTo: NodeId;
  readonly text: string;
  /** What was asked; null where the provider made it by itself. */
  readonly instruction: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly createdAt: string;
  /** How many messages it stands for. */
  readonly coveredNodes: number;
  /** The call that made it, and those before it that came to nothing. */
  readonly calls: readonly Call[];
}

/** Null where nothing on the branch is summarised. */
export async function readSummary(env: Environment, projectId: ProjectId, ref: string): Promise<SummaryInPlace | null> {
  const { tipId, envelope } = await env.store.getBranch(projectId, ref);
  if (tipId === null || envelope.summaries === undefined) return null;
  const path = await env.store.path(projectId, tipId);
  const placed = await summaryOn(env, projectId, path, envelope.summaries);
  const summary = placed?.nodes.at(-1);
  if (placed === null || summary === undefined || path.some(({ id }) => id === summary.id)) return null;
  const [first] = placed.nodes;
  const covered = path.slice(0, path.findIndex(({ id }) => id === placed.upTo) + 1);
  return {
    id: summary.id,
    upTo: placed.upTo,
    text: summary.content,
    instruction: first === undefined || first.id === summary.id ? null : first.content,
    provider: summary.provider,
    model: summary.modelUsed,
    createdAt: summary.createdAt,
    coveredNodes: covered.filter(({ role }) => role !== 'system').length,
    calls: summary.turnId === null ? [] : await env.store.callsOfTurn(projectId, summary.turnId),
  };
}
