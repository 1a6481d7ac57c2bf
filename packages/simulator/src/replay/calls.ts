import type { NodeId, RawResponse, StopReason, StreamError, TreeNode } from '@bough/core';
import type { CallTarget, PreparedCall } from '@bough/providers';
import { continuesResponses, eventsIn, prepareCall } from '@bough/providers';
import type { Simulator } from '../server.ts';
import type { Ending } from './actions.ts';
import type { BranchState, Conversation, Envelope } from './conversation.ts';
import { checkNothingWithheld } from './kept-reasoning.ts';
import { checkCached, checkLog, checkLosses, checkNoViolation, checkPrefix } from './invariants.ts';

export interface Answered {
  readonly prepared: PreparedCall;
  readonly raw: RawResponse;
  readonly stop: StopReason;
  readonly error: StreamError | null;
  readonly responseId: string | null;
}

/** One call of a branch, from its path to its raw reply, with every promise checked on the way. */
export async function call(
  simulator: Simulator,
  conversation: Conversation,
  branch: BranchState,
  ending: Ending,
): Promise<Answered> {
  const prepared = prepare(conversation, branch);
  const fault = faultOf(ending);
  if (fault !== null) simulator.orderFault(fault);
  simulator.clearLog();
  const user = new AbortController();
  const reply = branch.envelope.seat.provider.send(prepared.request, { signal: user.signal });
  const seen: string[] = [];
  let stop: StopReason = 'unknown';
  let error: StreamError | null = null;
  let responseId: string | null = null;
  for await (const { text, events } of reply.batches) {
    seen.push(text);
    if (ending.type === 'abort' && eventsIn(seen).whole.length >= ending.after) user.abort();
    for (const event of events) {
      if (event.type === 'stop') stop = event.reason;
      if (event.type === 'error') error = event.error;
      if (event.type === 'start') responseId = event.responseId ?? responseId;
    }
  }
  checkLog(simulator.log(), prepared);
  // By break, own replies are text because the user chose so. Behind a gateway, the simulator does not bind thinking.
  const { seat, replayBy } = branch.envelope;
  const isBehindGateway =
    prepared.request.protocol === 'openai-chat' && seat.provider.modelInfo(seat.model).bindsThinkingToPrefix;
  if (replayBy === 'issuer' && !isBehindGateway)
    checkNothingWithheld(simulator.log(), conversation.path(branch), conversation.raws, prepared);
  return { prepared, raw: reply.raw(), stop, error, responseId };
}

function prepare(conversation: Conversation, branch: BranchState): PreparedCall {
  const path = conversation.path(branch);
  const target = targetOf(branch.envelope);
  const previousResponse = previousResponseOf(conversation, path, branch.envelope);
  const sources = {
    rawOf: (id: NodeId) => conversation.raws.get(id),
    renderingOf: (id: NodeId, key: string) => conversation.renderings.get(`${id} ${key}`),
    previousResponse,
  };
  const prepared = prepareCall(path, target, sources);
  for (const cache of conversation.caches) checkCached(cache.prepare(path, target, sources).call, prepared);
  checkNoViolation(prepared);
  const continues = prepared.request.body.includes('"previous_response_id"');
  checkLosses(
    continues ? path.slice(1 + path.findIndex(({ id }) => id === previousResponse?.nodeId)) : path,
    prepared,
    target,
  );
  if (!continues) conversation.kept.count(path, prepared, target);
  if (branch.lastBody !== null && !continues) checkPrefix(branch.lastBody, prepared.request.body);
  branch.lastBody = continues ? null : prepared.request.body;
  for (const { nodeId, key, bytes } of prepared.request.renderings)
    conversation.renderings.set(`${nodeId} ${key}`, bytes);
  return prepared;
}

function targetOf({ seat, system, tools, thinking, replayBy, keepTools }: Envelope): CallTarget {
  return { ...seat, systemPrompt: system, tools, thinking, replayBy, keepToolsAfterBreak: keepTools, maxTokens: 8_000 };
}

/** What the next request may continue from: the newest reply of the path, if this same model made it. */
function previousResponseOf(
  { responseIds }: Conversation,
  path: readonly TreeNode[],
  { seat }: Envelope,
): { readonly id: string; readonly nodeId: NodeId } | undefined {
  if (!continuesResponses(seat.provider.deployment)) return undefined;
  const last = path.findLast((node) => node.role === 'assistant');
  if (last === undefined || last.provider !== seat.provider.deployment.id || last.modelUsed !== seat.model)
    return undefined;
  const id = responseIds.get(last.id);
  return id === undefined ? undefined : { id, nodeId: last.id };
}

function faultOf(ending: Ending): string | null {
  switch (ending.type) {
    case 'whole':
      return null;
    case 'abort':
      // In small pieces, so that there is something left to abort.
      return `rechunk ${ending.after} x1`;
    case 'cut':
      return `cut ${ending.after} x1`;
    case 'error':
      return `error ${ending.after} x1`;
    case 'refused':
      return `${ending.status} x1`;
  }
}
