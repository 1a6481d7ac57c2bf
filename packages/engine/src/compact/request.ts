import type { TreeNode } from '@bough/core';
import { createNode, SUMMARY_INSTRUCTION } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import { makesSummaries, objectionIn } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import type { PlannedRequest, RequestPlan } from '../assemble/index.ts';
import { planRequest } from '../assemble/index.ts';
import type { Environment } from '../environment.ts';
import type { Range } from './range.ts';

/** What a model is asked, as the message that follows what it is to summarise. */
export function questionOf(env: Environment, { branch, upTo }: Range, instruction: string | undefined): TreeNode {
  const asked = instruction?.trim() ?? '';
  return createNode({
    id: env.ids.node(),
    projectId: branch.projectId,
    parentId: upTo,
    role: 'user',
    contentBlocks: [{ type: 'text', text: asked === '' ? SUMMARY_INSTRUCTION : asked }],
    createdOnBranch: branch.id,
    createdAt: env.now().toISOString(),
  });
}

export type Way = 'provider' | 'model';

/** What a provider refused a request for, and takes it without. */
export type Without = Pick<RequestPlan, 'mayUseContainers' | 'mayBringFiles' | 'mayShareReasoning'>;

/**
 * Who can make the summary, the best first. A provider that makes summaries itself signs them, and takes back what was
 * thought right behind them; but it must be given whole turns, and nothing that changes instructions or tools.
 */
export function waysFor(env: Environment, { branch, path, upTo }: Range): readonly Way[] {
  const covered = path.slice(0, path.findIndex(({ id }) => id === upTo) + 1);
  const last = covered.at(-1);
  const isWhole = last?.role === 'assistant' && !last.isError && !last.interrupted;
  const isPlain = covered.every(({ role }) => role !== 'system');
  const { deployment } = env.providers.get(branch.envelope.provider);
  return makesSummaries(deployment) && isWhole && isPlain ? ['provider', 'model'] : ['model'];
}

/**
 * The request for a summary: what the next message after the range would have sent, with the question for a message.
 * Everything before the question is what the provider was sent already, to the byte, and is read from its cache.
 */
export async function askFor(
  env: Environment,
  { branch, upTo }: Range,
  question: TreeNode,
  way: Way,
  without: Without = {},
): Promise<PlannedRequest> {
  return planRequest(env, {
    ...without,
    projectId: branch.projectId,
    tip: upTo,
    ...(way === 'provider' ? { summarise: question.content } : { added: [question] }),
    branches: await env.store.listBranches(branch.projectId),
    envelope: branch.envelope,
    manner: branch,
  });
}

export interface Planned {
  readonly way: Way;
  readonly planned: PlannedRequest;
}

/** The request in the first of the ways that no rule objects to; those that were tried are taken off the list. */
export async function planFirst(env: Environment, range: Range, question: TreeNode, ways: Way[]): Promise<Planned> {
  const way = ways.shift() ?? 'model';
  const planned = await askFor(env, range, question, way);
  const isFine = objectionIn(planned.prepared.request.violations) === undefined;
  return isFine || ways.length === 0 ? { way, planned } : planFirst(env, range, question, ways);
}

/** How many messages the model would not read, because the request for the summary does not fit into its window. */
export function unreadIn({ report }: Pick<PreparedCall, 'report'>): number {
  return report.filter(({ reasons }) => reasons.includes('trimmed')).length;
}

export function requireRead(prepared: Pick<PreparedCall, 'report'>): void {
  const unread = unreadIn(prepared);
  if (unread === 0) return;
  throw new RequestError(
    'too_long_to_compact',
    `The first ${unread} messages do not fit into the window together with the rest, so they would be missing in the ` +
      'summary. Compact up to an earlier message first, then go on from there.',
  );
}
