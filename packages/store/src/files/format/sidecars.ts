import type {
  Branch,
  Call,
  Envelope,
  ProjectId,
  RawPayload,
  RawResponse,
  ThinkingSetting,
  Turn,
  Usage,
} from '@bough/core';
import { branchId, callId, nodeId, REPLAY_BY, replyLimits, turnId } from '@bough/core';
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
      createdAt: fields.text('createdAt'),
    },
  };
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
    ...readAllowedTools(path, fields),
  };
}

function readAllowedTools(path: string, fields: Fields): Pick<Envelope, 'allowedTools'> {
  if (!('allowedTools' in fields.value)) return {};
  const allowedTools = fields.list('allowedTools');
  if (!allowedTools.every((tool) => typeof tool === 'string'))
    throw malformed(path, '"envelope.allowedTools" must be a list of names.');
  return { allowedTools };
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
      return { call: readCall(turn, call), hasRaw: call.flag('hasRaw') };
    }),
  };
}

function readCall(turn: Turn, fields: Fields): Call {
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
    usage: readUsage(fields.objectOrNull('usage')),
    cost: fields.numberOrNull('cost'),
    errorCode: fields.textOrNull('errorCode'),
  };
}

function readUsage(fields: Fields | null): Usage | null {
  if (!fields) return null;
  for (const name of Object.keys(fields.value)) fields.number(name);
  // Every count that is present was checked to be a number.
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
