import type { Call, CallPurpose, Exchange } from '@bough/core';
import { callId, nodeId, projectId, turnId } from '@bough/core';
import type { Insertable, Selectable } from 'kysely';
import type { CallRow } from '../tables.ts';
import { nullable } from './nullable.ts';

export function callRow(call: Call): Insertable<CallRow> {
  return {
    project_id: call.projectId,
    id: call.id,
    turn_id: call.turnId,
    node_id: call.nodeId,
    provider: call.provider,
    deployment: call.deployment,
    model: call.model,
    status: call.status,
    request_hash: call.requestHash,
    provider_request_id: call.providerRequestId,
    response_id: call.responseId,
    started_at: call.startedAt,
    first_byte_at: call.firstByteAt,
    ended_at: call.endedAt,
    usage: call.usage === null ? null : JSON.stringify(call.usage),
    cost: call.cost,
    error_code: call.errorCode,
    purpose: call.purpose ?? null,
    exchange: call.exchange === undefined ? null : JSON.stringify(call.exchange),
  };
}

/** What a list of calls reads: all but the exchange. */
export const CALL_COLUMNS = [
  'project_id',
  'id',
  'turn_id',
  'node_id',
  'provider',
  'deployment',
  'model',
  'status',
  'request_hash',
  'provider_request_id',
  'response_id',
  'started_at',
  'first_byte_at',
  'ended_at',
  'usage',
  'cost',
  'error_code',
  'purpose',
] as const satisfies readonly (keyof CallRow)[];

export type StoredCall = Pick<Selectable<CallRow>, (typeof CALL_COLUMNS)[number]> &
  Partial<Pick<Selectable<CallRow>, 'exchange'>>;

export function callOf(row: StoredCall): Call {
  return {
    id: callId(row.id),
    projectId: projectId(row.project_id),
    turnId: turnId(row.turn_id),
    nodeId: nullable(row.node_id, nodeId),
    provider: row.provider,
    deployment: row.deployment,
    model: row.model,
    status: row.status as Call['status'],
    requestHash: row.request_hash,
    providerRequestId: row.provider_request_id,
    responseId: row.response_id,
    startedAt: row.started_at,
    firstByteAt: row.first_byte_at,
    endedAt: row.ended_at,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Call['usage']),
    cost: row.cost,
    errorCode: row.error_code,
    ...(row.purpose === null ? {} : { purpose: row.purpose as CallPurpose }),
    ...(row.exchange == null ? {} : { exchange: JSON.parse(row.exchange) as Exchange }),
  };
}
