import type {
  Annotation,
  Branch,
  Call,
  Envelope,
  NodeId,
  ProjectId,
  RawPayload,
  RawResponse,
  ThinkingSetting,
  Turn,
} from '@bough/core';
import {
  branchId,
  CALL_PURPOSES,
  callId,
  compactingSetting,
  filesSetting,
  inAnnotationOrder,
  isAnnotation,
  isCallUsage,
  isExchange,
  isChoices,
  isCompacting,
  isProviderTool,
  isRecorded,
  isSummaries,
  nodeId,
  REPLAY_BY,
  replyLimits,
  summariesSetting,
  turnId,
} from '@bough/core';
import { malformed } from '../../on-disk/disk/index.ts';
import type { Fields } from './fields.ts';
import { fieldsOf, jsonText, parseJson } from './fields.ts';

// Bough's own files, in a directory next to Loom's nodes: one small file per branch, turn, rendered node and raw
// response, so that a change touches one file and reads well in a diff.

/** Who works on a turn, and until when it is presumed alive (milliseconds). */
export interface Lease {
  readonly owner: string;
  readonly expiresAt: number;
}

export interface TurnFile {
  readonly turn: Turn;
  readonly lease: Lease | null;
  readonly clientRequestId: string | null;
  readonly calls: readonly { readonly call: Call; readonly hasRaw: boolean }[];
}

export interface BranchFile {
  readonly branch: Branch;
  /** Its place in the order of storage. */
  readonly order: number;
}

export interface RenderingsFile {
  readonly nodeId: string;
  readonly renderings: ReadonlyMap<string, string>;
}

export function branchText({ branch, order }: BranchFile): string {
  const { projectId: _, ...fields } = branch;
  return jsonText({ order, ...fields });
}

export function parseBranch(path: string, text: string, projectId: ProjectId): BranchFile {
  const fields = fieldsOf(path, parseJson(path, text));
  const tip = fields.textOrNull('tipId');
  const forkedFrom = fields.textOrNull('forkedFromId');
  return {
    order: fields.number('order'),
    branch: {
      id: branchId(fields.text('id')),
      projectId,
      name: fields.text('name'),
      tipId: tip === null ? null : nodeId(tip),
      forkedFromId: forkedFrom === null ? null : nodeId(forkedFrom),
      envelope: readEnvelope(path, fields.object('envelope')),
      // Branches from before there was a choice have none.
      replayBy: 'replayBy' in fields.value ? fields.oneOf('replayBy', REPLAY_BY) : 'issuer',
      keepToolsAfterBreak: fields.flag('keepToolsAfterBreak'),
      pinned: fields.flag('pinned'),
      hidden: fields.flag('hidden'),
      color: fields.textOrNull('color'),
      ...readRecorded(path, fields),
      createdAt: fields.text('createdAt'),
    },
  };
}

function readRecorded(path: string, fields: Fields): Pick<Branch, 'recorded'> {
  const recorded = fields.value['recorded'];
  if (recorded === undefined) return {};
  if (!isRecorded(recorded)) throw malformed(path, '"recorded" must say where the branch was recorded from.');
  return { recorded };
}

function readEnvelope(path: string, fields: Fields): Envelope {
  const tools = fields.list('tools');
  if (!tools.every((tool) => typeof tool === 'string'))
    throw malformed(path, '"envelope.tools" must be a list of names.');
  return {
    provider: fields.text('provider'),
    model: fields.text('model'),
    systemPrompt: fields.textOrNull('systemPrompt'),
    tools,
    thinking: readThinkingSetting(fields),
    ...replyLimits(fields.numberOrNull('maxTokens'), fields.value['failEarly'] === true),
    ...filesSetting(fields.value['filesOtherwise'] === 'omit' ? 'omit' : undefined),
    ...readProviderTools(path, fields),
    ...readAllowedTools(path, fields),
    ...readChoices(path, fields),
    ...readSummaries(path, fields),
  };
}

function readProviderTools(path: string, fields: Fields): Pick<Envelope, 'providerTools'> {
  if (!('providerTools' in fields.value)) return {};
  const providerTools = fields.list('providerTools');
  if (!providerTools.every(isProviderTool))
    throw malformed(path, '"envelope.providerTools" must be a list of tools of the provider.');
  return { providerTools };
}

function readAllowedTools(path: string, fields: Fields): Pick<Envelope, 'allowedTools'> {
  if (!('allowedTools' in fields.value)) return {};
  const allowedTools = fields.list('allowedTools');
  if (!allowedTools.every((tool) => typeof tool === 'string'))
    throw malformed(path, '"envelope.allowedTools" must be a list of names.');
  return { allowedTools };
}

function readChoices(path: string, fields: Fields): Pick<Envelope, 'choices'> {
  const choices = fields.value['choices'];
  if (choices === undefined) return {};
  if (!isChoices(choices)) throw malformed(path, '"envelope.choices" must say what was chosen for each message.');
  return { choices };
}

function readSummaries(path: string, fields: Fields): Pick<Envelope, 'summaries' | 'compacting'> {
  const { summaries, compacting } = fields.value;
  if (summaries !== undefined && !isSummaries(summaries))
    throw malformed(path, '"envelope.summaries" must be a list of messages.');
  if (compacting !== undefined && !isCompacting(compacting))
    throw malformed(path, '"envelope.compacting" must have a mode and a share of the window.');
  return { ...summariesSetting(summaries), ...compactingSetting(compacting) };
}

function readThinkingSetting(fields: Fields): ThinkingSetting {
  if (typeof fields.value['thinking'] === 'string') {
    return fields.oneOf('thinking', ['off', 'low', 'medium', 'high'] as const);
  }
  return { budgetTokens: fields.object('thinking').number('budgetTokens') };
}

export function turnText({ turn, lease, clientRequestId, calls }: TurnFile): string {
  const { projectId: _, ...fields } = turn;
  return jsonText({ ...fields, clientRequestId, lease, calls: calls.map(callFields) });
}

function callFields({ call, hasRaw }: TurnFile['calls'][number]): Record<string, unknown> {
  const { projectId: _, turnId: __, ...fields } = call;
  return { ...fields, hasRaw };
}

export function parseTurn(path: string, text: string, projectId: ProjectId): TurnFile {
  const fields = fieldsOf(path, parseJson(path, text));
  const branch = fields.textOrNull('branchId');
  const turn: Turn = {
    id: turnId(fields.text('id')),
    projectId,
    branchId: branch === null ? null : branchId(branch),
    isThinkingMode: fields.flag('isThinkingMode'),
    status: fields.oneOf('status', ['running', 'awaiting_approval', 'complete', 'error', 'interrupted']),
    createdAt: fields.text('createdAt'),
  };
  const lease = fields.objectOrNull('lease');
  return {
    turn,
    lease: lease && { owner: lease.text('owner'), expiresAt: lease.number('expiresAt') },
    clientRequestId: fields.textOrNull('clientRequestId'),
    calls: fields.list('calls').map((value, index) => {
      const call = fieldsOf(path, value, `calls[${index}]`);
      return { call: readCall(path, turn, call), hasRaw: call.flag('hasRaw') };
    }),
  };
}

function readCall(path: string, turn: Turn, fields: Fields): Call {
  const node = fields.textOrNull('nodeId');
  return {
    id: callId(fields.text('id')),
    projectId: turn.projectId,
    turnId: turn.id,
    nodeId: node === null ? null : nodeId(node),
    provider: fields.text('provider'),
    deployment: fields.text('deployment'),
    model: fields.text('model'),
    status: fields.oneOf('status', ['running', 'complete', 'error', 'interrupted']),
    requestHash: fields.text('requestHash'),
    providerRequestId: fields.textOrNull('providerRequestId'),
    responseId: fields.textOrNull('responseId'),
    startedAt: fields.text('startedAt'),
    firstByteAt: fields.textOrNull('firstByteAt'),
    endedAt: fields.textOrNull('endedAt'),
    usage: readUsage(path, fields.objectOrNull('usage')),
    cost: fields.numberOrNull('cost'),
    errorCode: fields.textOrNull('errorCode'),
    ...(fields.textOrNull('purpose') === null ? {} : { purpose: fields.oneOf('purpose', CALL_PURPOSES) }),
    ...readExchange(path, fields),
  };
}

function readExchange(path: string, fields: Fields): Pick<Call, 'exchange'> {
  const exchange = fields.value['exchange'];
  if (exchange === undefined) return {};
  if (!isExchange(exchange)) throw malformed(path, 'the "exchange" of a call must hold the pieces of a request.');
  return { exchange };
}

function readUsage(path: string, fields: Fields | null): Call['usage'] {
  if (!fields) return null;
  if (!isCallUsage(fields.value)) throw malformed(path, 'the "usage" of a call must hold counts of tokens.');
  return fields.value;
}

export function renderingsText({ nodeId: id, renderings }: RenderingsFile): string {
  return jsonText({ nodeId: id, renderings: [...renderings].map(([key, bytes]) => ({ key, bytes })) });
}

export function parseRenderings(path: string, text: string): RenderingsFile {
  const fields = fieldsOf(path, parseJson(path, text));
  const renderings = fields.list('renderings').map((value, index) => {
    const rendering = fieldsOf(path, value, `renderings[${index}]`);
    return [rendering.text('key'), rendering.text('bytes')] as const;
  });
  return { nodeId: fields.text('nodeId'), renderings: new Map(renderings) };
}

/** Neither the project nor the node is repeated with each of them. */
export function annotationsText(id: NodeId, annotations: readonly Annotation[]): string {
  const inOrder = annotations.toSorted(inAnnotationOrder);
  return jsonText({
    nodeId: id,
    annotations: inOrder.map(({ projectId: _project, nodeId: _node, ...fields }) => fields),
  });
}

export function parseAnnotations(
  path: string,
  text: string,
  project: ProjectId,
): { readonly nodeId: NodeId; readonly annotations: readonly Annotation[] } {
  const fields = fieldsOf(path, parseJson(path, text));
  const id = nodeId(fields.text('nodeId'));
  const annotations = fields.list('annotations').map((value, index) => ({
    ...fieldsOf(path, value, `annotations[${index}]`).value,
    projectId: project,
    nodeId: id,
  }));
  if (!annotations.every(isAnnotation)) throw malformed(path, 'one of "annotations" is none.');
  return { nodeId: id, annotations };
}

export const rawText = (raw: RawResponse): string => jsonText(raw);

export function parseRaw(path: string, text: string): RawResponse {
  const fields = fieldsOf(path, parseJson(path, text));
  if (fields.number('version') !== 1) throw malformed(path, '"version" is one that this program does not know.');
  return {
    ...fields.value,
    provider: fields.text('provider'),
    deployment: fields.text('deployment'),
    model: fields.text('model'),
    api: fields.oneOf('api', ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini']),
    version: 1,
    capturedAt: fields.text('capturedAt'),
    complete: fields.flag('complete'),
    // The provider's own format: only its protocol's reader understands it.
    payload: fields.value['payload'] as RawPayload,
  };
}
