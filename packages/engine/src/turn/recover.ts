import type { NodeId, RawResponse, Turn } from '@bough/core';
import { rawPayload, ReplyFold } from '@bough/core';
import { eventsIn, protocolById } from '@bough/providers';
import type { LogEntry } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { FinishedCall } from './finish.ts';
import { finishCall } from './finish.ts';
import type { CallStart } from './record.ts';
import { readRecord } from './record.ts';

const PAGE = 1_000;

/**
 * Closes a turn whose owner died: what its log holds of the call that was under way becomes the partial reply that people had on their screens,
 * and the turn is interrupted. Finished parts were stored when they finished and are left alone.
 */
export async function recoverTurn(env: Environment, turn: Turn): Promise<void> {
  const { start, texts } = lastCall(await readWholeLog(env, turn));
  const stored = await env.store.nodesOfTurn(turn.projectId, turn.id);
  const lost =
    start !== null && !stored.some((node) => node.id === start.nodeId) ? foldLost(env, turn, start, texts) : null;
  const nodes = lost?.nodes ?? [];
  const branch = turn.branchId === null ? null : await env.store.getBranch(turn.projectId, turn.branchId);
  const next: NodeId | null = nodes.at(-1)?.id ?? branch?.tipId ?? null;
  await env.store.commitTurn({
    projectId: turn.projectId,
    turnId: turn.id,
    owner: env.owner,
    nodes,
    calls: lost === null ? [] : [{ call: lost.call, raw: lost.raw() }],
    renderings: [],
    ...(branch === null || next === null
      ? {}
      : { tip: { branchId: branch.id, expected: branch.tipId, next, previousResponseId: null } }),
    status: 'interrupted',
  });
}

async function readWholeLog(env: Environment, turn: Turn): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  for (;;) {
    const page = await env.store.readLog(turn.projectId, turn.id, entries.at(-1)?.seq ?? 0, PAGE);
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}

/** The newest call of the log and what came of its stream. */
function lastCall(entries: readonly LogEntry[]): {
  readonly start: CallStart | null;
  readonly texts: readonly string[];
} {
  let start: CallStart | null = null;
  let texts: string[] = [];
  for (const record of entries.map(readRecord)) {
    if (record.call !== undefined) {
      start = record.call;
      texts = [];
    }
    texts.push(record.text ?? '');
  }
  return { start, texts };
}

function foldLost(env: Environment, turn: Turn, start: CallStart, texts: readonly string[]): FinishedCall {
  // An event inside which the log ends is kept, but not read: the reply is not malformed, it broke off.
  const { whole, torn } = eventsIn(texts);
  const protocol = protocolById(start.api);
  const fold = protocol.createFold(start.issuer);
  const reply = new ReplyFold();
  for (const event of whole) for (const neutral of fold.push(event)) reply.push(neutral);
  for (const neutral of fold.end({ type: 'aborted' })) reply.push(neutral);
  const raw: RawResponse = {
    ...start.issuer,
    api: start.api,
    version: 1,
    capturedAt: start.startedAt,
    complete: false,
    payload: rawPayload(start.api, [...whole, ...torn]),
  };
  return finishCall(env, {
    turn,
    branchId: turn.branchId,
    start,
    folded: reply.result(),
    raw: () => raw,
    firstByteAt: whole.length + torn.length === 0 ? null : start.startedAt,
    providerRequestId: null,
  });
}
