import type { Client } from '@bough/api';
import { ApiError, readLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from './member.ts';
import type { Random } from './random.ts';
import type { SeenTurn } from './seen-turn.ts';
import type { Stage } from './stage.ts';

const PAUSE_MS = 25;

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error.code === 'turn_running' || error.code === 'tip_moved') return true;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

export function noteRefusal(stage: Stage, error: unknown): void {
  const name = error instanceof ApiError ? `${error.status} ${error.code}` : 'connection lost';
  stage.refusals.set(name, (stage.refusals.get(name) ?? 0) + 1);
}

/**
 * Requests a turn and watches it to its end, as a stubborn client does: whatever breaks is resumed where it was, on any
 * live server. `begin` sends the request; it is repeated until it is answered.
 */
export async function follow(
  stage: Stage,
  random: Random,
  turn: SeenTurn,
  begin: (client: Client) => Promise<Response>,
  onLine: (line: StreamLine) => void = () => undefined,
): Promise<void> {
  while (turn.done === null && turn.refused === null) {
    const member = await stage.lane.someone(random, stage.over.signal);
    if (member === null) return;
    const connection = watchOnce(stage, turn, member, begin, onLine);
    stage.connections.add(connection);
    void connection.finally(() => stage.connections.delete(connection));
    await Promise.race([connection, member.lost, stage.ended]);
    if (stage.over.signal.aborted) return;
    if (turn.done === null) await sleep(PAUSE_MS);
  }
}

async function watchOnce(
  stage: Stage,
  turn: SeenTurn,
  member: Member,
  begin: (client: Client) => Promise<Response>,
  onLine: (line: StreamLine) => void,
): Promise<void> {
  const after = turn.turnId === null ? 0 : turn.seen;
  const { projectId } = turn.request;
  if (turn.turnId === null) turn.askedOf.add(member);
  try {
    const response =
      turn.turnId === null
        ? await begin(member.client)
        : await member.client.turnStream(projectId, turn.turnId, after, stage.over.signal);
    turn.acknowledged = true;
    if (response.body === null) return;
    const take = turn.reader(after);
    for await (const line of readLines(response.body)) {
      if (line.type === 'heartbeat' || !take(line)) continue;
      stage.lane.lineSeen(line);
      onLine(line);
    }
  } catch (error) {
    if (stage.over.signal.aborted) return;
    noteRefusal(stage, error);
    // A server that gets an old request again may refuse what another one began long ago.
    if (!isPassing(error) && turn.turnId === null) turn.refused = error instanceof ApiError ? error.code : 'unknown';
  }
}

/** A write that is repeated until it is answered. Null where it was refused, or when it is time to give up. */
export async function insist<Answer>(
  stage: Stage,
  random: Random,
  send: (client: Client, member: Member) => Promise<Answer>,
): Promise<Answer | null> {
  for (;;) {
    const member = await stage.lane.someone(random, stage.over.signal);
    if (member === null) return null;
    try {
      return await Promise.race([
        send(member.client, member),
        stage.ended.then(() => Promise.reject(new Error('The round is over.'))),
        member.lost.then(() => Promise.reject(new Error('The server is lost.'))),
      ]);
    } catch (error) {
      noteRefusal(stage, error);
      if (!isPassing(error)) return null;
      await sleep(PAUSE_MS);
    }
  }
}
