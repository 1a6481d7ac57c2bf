import type { NodeId, RawResponse, StopReason, StreamError, TreeNode } from '@bough/core';
import type { CallTarget, PreparedCall } from '@bough/providers';
import {
  chooseProviderTools,
  continuesResponses,
  eventsIn,
  objectionIn,
  prepareCall,
  segmentsOf,
} from '@bough/providers';
import type { LogEntry } from '../log/index.ts';
import type { Simulator } from '../server.ts';
import type { Ending } from './actions.ts';
import type { BranchState, Conversation, Envelope } from './conversation.ts';
import { checkNothingWithheld } from './kept-reasoning.ts';
import { readBlob } from './files.ts';
import {
  BrokenPromise,
  checkCached,
  checkChoices,
  checkKeptBeside,
  checkLog,
  checkLosses,
  checkNoViolation,
  checkPrefix,
} from './invariants.ts';
import { checkStaysOut, checkTrimIsNeeded, leavesOutMore, leftOutOf } from './room.ts';

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
  const first = await attempt(simulator, conversation, branch, ending, true);
  const named = containersIn(first.prepared.request.body);
  const known = named.find((id) => branch.goneContainers.has(id));
  if (known !== undefined)
    throw new BrokenPromise('a container is named again that was refused', `${known}\n${first.prepared.request.body}`);
  // The engine tries once more, in a new container.
  if (!isContainerGone(first)) return first;
  conversation.loseContainers(branch, named);
  // Also where a summary is asked for, on a branch beside those of the conversation.
  branch.lastBody = null;
  const files = await filesFor(branch, first.prepared.request, conversation.lostContainers);
  // The new container begins with these files: what the tools say of it changes, and what was cached goes with it.
  if (files.length > 0) branch.lastBody = null;
  const second = await attempt(simulator, conversation, branch, ending, false, files);
  branch.lastBody = null;
  if (!second.prepared.report.some(({ reasons }) => reasons.includes('container_expired')))
    throw new BrokenPromise('a container that is gone is not reported', second.prepared.request.body);
  return second;
}

/** The engine gives the provider the files that it has; here, one that is made up. */
async function filesFor(
  { envelope }: BranchState,
  { takesContainerFiles }: PreparedCall['request'],
  count: number,
): Promise<readonly string[]> {
  const { upload } = envelope.seat.provider;
  if (takesContainerFiles !== true || upload === null) return [];
  const bytes = new TextEncoder().encode(`${count}`);
  const given = await upload({ name: `${count}.txt`, mediaType: 'text/plain', bytes }, new AbortController().signal);
  if (given.type === 'refused') throw new BrokenPromise('a file is refused', given.error.message);
  return [given.id];
}

function isContainerGone({ prepared, error }: Answered): boolean {
  return error?.code === 'container_expired' && prepared.request.namesContainer === true;
}

/** As Anthropic is told of a container, and as OpenAI's items name theirs. */
function containersIn(body: string): readonly string[] {
  return [...body.matchAll(/"container(?:_id)?":"([^"]+)"/g)].map(([, id = '']) => id);
}

const FOR_CONTAINER: ReadonlySet<string | undefined> = new Set(['ANT-SIM-8', 'SIM-OAR-CONTAINER']);
const isForContainer = ({ kind, rule }: LogEntry): boolean => kind === 'rejected' && FOR_CONTAINER.has(rule);

async function attempt(
  simulator: Simulator,
  conversation: Conversation,
  branch: BranchState,
  ending: Ending,
  mayUseContainers: boolean,
  containerFiles: readonly string[] = [],
): Promise<Answered> {
  const prepared = prepare(conversation, branch, mayUseContainers, containerFiles);
  const fault = faultOf(ending);
  if (fault !== null) simulator.orderFault(fault);
  simulator.clearLog();
  const user = new AbortController();
  const reply = branch.envelope.seat.provider.send(prepared.request, { signal: user.signal, readBlob });
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
  conversation.sentFiles += segmentsOf(prepared.request.body).filter((part) => typeof part !== 'string').length;
  const answered: Answered = { prepared, raw: reply.raw(), stop, error, responseId };
  // A fault that was ordered may hide the refusal from the client: then it is the fault that the engine answers.
  if (mayUseContainers && prepared.request.namesContainer === true && simulator.log().some(isForContainer))
    return answered;
  checkLog(simulator.log(), prepared);
  // By break, own replies are text because the user chose so. Behind a gateway, the simulator does not bind thinking.
  const { seat, replayBy } = branch.envelope;
  const isBehindGateway =
    prepared.request.protocol === 'openai-chat' && seat.provider.modelInfo(seat.model).bindsThinkingToPrefix;
  if (replayBy === 'issuer' && !isBehindGateway)
    checkNothingWithheld(simulator.log(), conversation.path(branch), conversation.raws, prepared);
  return answered;
}

function prepare(
  conversation: Conversation,
  branch: BranchState,
  mayUseContainers: boolean,
  containerFiles: readonly string[],
): PreparedCall {
  const { path, ...behind } = conversation.summarised(branch);
  const { summary } = behind;
  const target = {
    ...targetOf(branch.envelope),
    ...behind,
    ...(branch.summarise !== undefined && { summarise: branch.summarise }),
    ...(mayUseContainers ? {} : { mayUseContainers }),
    ...(containerFiles.length > 0 && { containerFiles }),
  };
  // The engine does not continue a response from before the summary either.
  const previousResponse = summary === undefined ? previousResponseOf(conversation, path, branch.envelope) : undefined;
  const sources = {
    rawOf: (id: NodeId) => conversation.raws.get(id),
    renderingOf: (id: NodeId, key: string) => conversation.renderings.get(`${id} ${key}`),
    previousResponse,
  };
  const prepared = prepareCall(path, target, sources);
  for (const cache of branch.summarise === undefined ? conversation.caches : [])
    checkCached(cache.prepare(path, target, sources).call, prepared);
  checkNoViolation(prepared);
  checkChoices(path, branch.envelope.choices, prepared);
  checkKeptBeside(path, prepared);
  const continues = prepared.request.body.includes('"previous_response_id"');
  checkLosses(
    continues ? path.slice(1 + path.findIndex(({ id }) => id === previousResponse?.nodeId)) : path,
    prepared,
    target,
  );
  if (!continues) conversation.kept.count(path, prepared, target);
  // A request that has no room for everything has to change; what was left out then stays out.
  const leftOut = leftOutOf(path, prepared);
  if (branch.lastBody !== null) checkStaysOut(branch.leftOut, leftOut, prepared);
  if (leavesOutMore(branch.leftOut, leftOut)) branch.lastBody = null;
  if (leftOut.trimmed.size > 0) checkTrimIsNeeded(path, target, sources);
  if (leftOut.trimmed.size > branch.leftOut.trimmed.size) conversation.trims += 1;
  branch.leftOut = leftOut;
  if (branch.lastBody !== null && !continues) checkPrefix(branch.lastBody, prepared.request.body);
  branch.lastBody = continues ? null : prepared.request.body;
  for (const { nodeId, key, bytes } of prepared.request.renderings)
    conversation.renderings.set(`${nodeId} ${key}`, bytes);
  return prepared;
}

/** Whether the provider would not summarise this by itself: then the engine asks its model. */
export function objectsToSummary(conversation: Conversation, branch: BranchState): boolean {
  const { path, ...behind } = conversation.summarised(branch);
  const { summarise = '' } = branch;
  const target = { ...targetOf(branch.envelope), ...behind, summarise };
  const sources = {
    rawOf: (id: NodeId) => conversation.raws.get(id),
    renderingOf: (id: NodeId, key: string) => conversation.renderings.get(`${id} ${key}`),
  };
  return objectionIn(prepareCall(path, target, sources).request.violations) !== undefined;
}

function targetOf(of: Envelope): CallTarget {
  const { seat, system, keepTools, providerTools: wanted, summaries: _, ...envelope } = of;
  const { deployment, modelInfo } = seat.provider;
  const { kept } = chooseProviderTools(deployment, modelInfo(seat.model), wanted, envelope.tools);
  return {
    ...seat,
    ...envelope,
    providerTools: kept,
    systemPrompt: system,
    keepToolsAfterBreak: keepTools,
    maxTokens: 8_000,
  };
}

/** What the next request may continue from: the newest reply of the path, if this same model made it. */
function previousResponseOf(
  { responseIds }: Conversation,
  path: readonly TreeNode[],
  { seat, choices }: Envelope,
): { readonly id: string; readonly nodeId: NodeId } | undefined {
  if (!continuesResponses(seat.provider.deployment)) return undefined;
  // The engine does not either: what was left out since is in the stored response.
  if (Object.values(choices).includes('leave_out')) return undefined;
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
