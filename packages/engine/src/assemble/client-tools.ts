import type { ToolDefinition } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { RequestPlan } from './index.ts';

/**
 * The tools that a client of the gateway offered with the newest reply that is recorded on the path. They cannot run
 * here, but a request without them is another request: its calls would be calls of nothing, its prefix a different one,
 * and what is bound to that prefix lost. Those of the branch itself, which can run, take the place of their namesakes.
 */
export async function clientTools(
  env: Environment,
  { projectId, tip, branches, envelope }: RequestPlan,
): Promise<readonly ToolDefinition[]> {
  const { offeredTools } = env;
  // Without a recorded branch there is nothing to be found, and nothing to be read.
  if (offeredTools === undefined || tip === null || branches.every(({ recorded }) => recorded === undefined)) return [];
  const path = await env.store.path(projectId, tip);
  const reply = path.findLast(
    ({ role, trail, provider }) => role === 'assistant' && trail !== undefined && provider === envelope.provider,
  );
  if (reply === undefined || reply.turnId === null) return [];
  const calls = await env.store.callsOfTurn(projectId, reply.turnId);
  const call = calls.find(({ nodeId }) => nodeId === reply.id);
  if (call?.exchange === undefined) return [];
  const offered = await offeredTools(call);
  return offered.filter(({ name }) => !envelope.tools.includes(name));
}
