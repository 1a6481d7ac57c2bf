import { setTimeout as sleep } from 'node:timers/promises';
import { compareConversation, compareNotes } from './compare.ts';
import type { Conversation } from './conversation.ts';
import { openConversation, say, talk } from './conversation.ts';
import type { Finding } from './finding.ts';
import { insist } from './follow.ts';
import type { Lane } from './lane.ts';
import { someMoment } from './moment.ts';
import type { Notes } from './notes.ts';
import { openNotes, writeNotes } from './notes.ts';
import { randomFrom } from './random.ts';
import type { Scenario, Stand } from './scenarios/index.ts';
import type { SeenTurn } from './seen-turn.ts';
import type { Stage } from './stage.ts';
import { createStage } from './stage.ts';
import { readStored } from './stored.ts';

/** What was seen in a round: compared at its end, and again when the lane is closed. */
export interface Seen {
  readonly conversations: readonly Conversation[];
  readonly notes: readonly Notes[];
}

export interface Round {
  readonly seed: number;
  readonly seen: Seen;
  readonly findings: readonly Finding[];
  readonly seconds: number;
  /** From the strike to the end of each turn that a hit server ran, in milliseconds. */
  readonly takeovers: readonly number[];
  readonly refusals: ReadonlyMap<string, number>;
}

/** Work, a strike in the middle of it, everything back, and a comparison with what is stored. */
export async function runRound(
  { lane, strike }: Stand,
  { conversations: talkers, writers }: Pick<Scenario, 'conversations' | 'writers'>,
  seed: number,
): Promise<Round> {
  const begun = performance.now();
  const random = randomFrom(seed);
  const stage = createStage(lane);
  const [conversations, notes] = await Promise.all([
    many(random.between(...talkers), () => openConversation(stage, random.fork())),
    many(random.between(...writers), () => openNotes(stage, random.fork())),
  ]);
  const turns = (): readonly SeenTurn[] =>
    [...conversations, ...notes.map(({ conversation }) => conversation)].flatMap((each) => each.turns);
  const working = Promise.all([
    ...conversations.map((each) => talk(stage, each)),
    ...notes.map((each) => writeNotes(stage, each)),
  ]);
  await someMoment(lane, random.fork());
  const before = turns().filter((turn) => turn.done === null);
  const struck = await strike({ lane, random: random.fork(), turns });
  await sleep(random.below(400));
  stage.closing = true;

  const settled = await inTime(
    lane,
    working.then(() => Promise.all(stage.connections)),
  );
  const stuck = settled ? [] : stuckTurns(turns());
  const next = await nextMessages(stage, conversations, new Set(stuck.map(({ projectId }) => projectId)));
  stage.over.abort();
  await Promise.all([working, ...stage.connections]);

  // Only now is it known for all: a request whose answer was lost learns its turn when it is repeated.
  for (const turn of turns()) if (struck.hit.some((member) => turn.askedOf.has(member))) turn.mayBreakOff = true;
  const seen = { conversations, notes };
  const orphans = before.filter(
    ({ askedOf, acknowledged }) => acknowledged && [...askedOf].every((member) => struck.hit.includes(member)),
  );
  return {
    seed,
    seen,
    seconds: (performance.now() - begun) / 1000,
    findings: [...struck.findings, ...stuck, ...next, ...(await compareSeen(lane, seen))],
    takeovers:
      struck.hit.length === 0 ? [] : orphans.flatMap(({ doneAt }) => (doneAt === null ? [] : [doneAt - struck.at])),
    refusals: stage.refusals,
  };
}

/** Compares everything that was seen with everything that is stored. */
export async function compareSeen(lane: Lane, { conversations, notes }: Seen): Promise<readonly Finding[]> {
  const stage = createStage(lane);
  const read = async (projectId: string) => {
    const stored = await insist(stage, randomFrom(1), (client) => readStored(client, projectId));
    if (stored === null) throw new Error(`The project ${projectId} cannot be read.`);
    return stored;
  };
  const found: (readonly Finding[])[] = [];
  for (const each of conversations) found.push(compareConversation(each, await read(each.projectId)));
  for (const each of notes) found.push(compareNotes(each, await read(each.conversation.projectId)));
  return found.flat();
}

async function many<Value>(count: number, open: () => Promise<Value | null>): Promise<readonly Value[]> {
  const opened = await Promise.all(Array.from({ length: count }, open));
  return opened.flatMap((value) => value ?? []);
}

async function inTime(lane: Lane, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const isDone = await Promise.race([work.then(() => true), sleep(lane.patienceMs, false, { signal: late.signal })]);
  late.abort();
  return isDone;
}

function stuckTurns(turns: readonly SeenTurn[]): readonly Finding[] {
  return turns
    .filter((turn) => turn.done === null && turn.refused === null)
    .map(({ request, turnId, seen }) => ({
      kind: 'stuck',
      what: turnId === null ? 'was never begun' : `did not end; ${seen} lines were seen`,
      projectId: request.projectId,
      turnId: turnId ?? undefined,
    }));
}

/** A conversation continues: its next message is answered. */
async function nextMessages(
  stage: Stage,
  conversations: readonly Conversation[],
  isStuck: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const asked = conversations
    .filter(({ projectId }) => !isStuck.has(projectId))
    .map(async (conversation): Promise<readonly Finding[]> => {
      const turn = await say(stage, conversation, '/sim say Yes.');
      if (turn.done?.status === 'complete') return [];
      const told = turn.lines.flatMap((line) => (line.type === 'error' ? [line.message] : []));
      const what = `the next message ended with ${turn.done?.status ?? turn.refused ?? 'nothing'} ${told.join(' ')}`;
      return [{ kind: 'stuck', what, projectId: conversation.projectId, turnId: turn.turnId ?? undefined }];
    });
  const answered = Promise.all(asked);
  if (!(await inTime(stage.lane, answered))) stage.over.abort();
  return (await answered).flat();
}
