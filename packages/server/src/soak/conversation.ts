import { ApiError } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { follow, insist } from './follow.ts';
import type { Member } from './member.ts';
import type { Random } from './random.ts';
import { SeenTurn } from './seen-turn.ts';
import type { Stage } from './stage.ts';

/** A project with somebody who talks in it, and what that person saw. */
export interface Conversation {
  readonly projectId: string;
  readonly turns: SeenTurn[];
  /** The branches that somebody was told of. */
  readonly branches: Set<string>;
  /** Branches that were requested but not confirmed: they may exist or not. */
  unanswered: number;
  readonly random: Random;
}

const PROVIDERS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'];
const TOOLS = ['soak__quick', 'soak__middle', 'soak__slow', 'soak__asked'];

let conversations = 0;

export async function openConversation(stage: Stage, random: Random): Promise<Conversation | null> {
  conversations += 1;
  const name = `Conversation ${conversations}`;
  const provider = random.pick(PROVIDERS);
  const made = await insist(stage, random, (client) => client.createProject({ name, provider, tools: TOOLS }));
  return made === null
    ? null
    : { projectId: made.project.id, turns: [], branches: new Set(['main']), unanswered: 0, random };
}

/**
 * Talks until the round closes: whatever a person does, one thing after the other. No full reply has a length at which
 * another one may break off (after pieces of 24 characters): the simulated model recognises its own replies by their
 * texts.
 */
export async function talk(stage: Stage, conversation: Conversation): Promise<void> {
  const { random, turns } = conversation;
  while (!stage.closing && !stage.over.signal.aborted) {
    const last = turns.findLast((turn) => turn.done !== null && turn.request.message !== null);
    const action = last === undefined ? random.below(80) : random.below(100);
    if (action < 45) await say(stage, conversation, `/sim think 1 300 /sim long 300 /sim tools ${tools(random)}`);
    else if (action < 60)
      await say(stage, conversation, `/sim think 2 500 /sim long ${2 * random.between(250, 2_000) + 1}`);
    else if (action < 70) await say(stage, conversation, '/sim long 200 /sim tools soak__asked soak__quick');
    else if (action < 80) await stopHalfway(stage, conversation);
    else if (action < 90) await sayAgain(stage, conversation, last);
    else await answerAgain(stage, conversation);
  }
}

/** Quick and slow ones together, in one step or in two. */
function tools(random: Random): string {
  const names = random.pick([
    'soak__quick soak__slow',
    'soak__slow soak__quick soak__middle',
    'soak__quick soak__middle',
    'soak__quick x3',
  ]);
  return random.chance(0.3) ? `${names} steps 2` : names;
}

/** The next message of the conversation, watched to its end. */
export async function say(stage: Stage, conversation: Conversation, wish: string): Promise<SeenTurn> {
  const turn = newTurn(conversation, wish);
  const { projectId, clientRequestId } = turn.request;
  const message = turn.request.message ?? '';
  await follow(
    stage,
    conversation.random,
    turn,
    (client) => client.chat(projectId, { ref: 'main', message, clientRequestId }, stage.over.signal),
    answering(stage, conversation, turn),
  );
  return turn;
}

/** An edited message: a branch of its own. */
async function sayAgain(stage: Stage, conversation: Conversation, last: SeenTurn | undefined): Promise<void> {
  const nodeId = last?.lines.find((line) => line.type === 'turn')?.userNodeId ?? null;
  if (nodeId === null) return;
  const turn = newTurn(conversation, '/sim think 1 200 /sim long 610');
  const { projectId, clientRequestId } = turn.request;
  const content = turn.request.message ?? '';
  await follow(
    stage,
    conversation.random,
    turn,
    (client) => client.edit(projectId, { nodeId, content, clientRequestId }, stage.over.signal),
    answering(stage, conversation, turn),
  );
  const branch = turn.lines.find((line) => line.type === 'turn')?.branch;
  if (branch === undefined) conversation.unanswered += 1;
  else conversation.branches.add(branch);
}

/** Two more replies to the newest message, watched at the same time. */
async function answerAgain(stage: Stage, conversation: Conversation): Promise<void> {
  const { projectId, random, turns } = conversation;
  const clientRequestId = nextId(conversation);
  const n = 2;
  const asked = new Set<Member>();
  const started = await insist(stage, random, (client, member) => {
    asked.add(member);
    return client.regenerate(projectId, { ref: 'main', n, clientRequestId });
  });
  if (started === null) conversation.unanswered += n;
  const watching = (started?.turns ?? []).map(async ({ turnId, branch }) => {
    conversation.branches.add(branch);
    const turn = new SeenTurn({ projectId, clientRequestId, message: null });
    turn.turnId = turnId;
    turn.acknowledged = true;
    turns.push(turn);
    for (const member of asked) turn.askedOf.add(member);
    await follow(
      stage,
      random.fork(),
      turn,
      (client) => client.turnStream(projectId, turnId, 0, stage.over.signal),
      answering(stage, conversation, turn),
    );
  });
  await Promise.all(watching);
}

/** A long reply that is stopped once enough of it was seen. */
async function stopHalfway(stage: Stage, conversation: Conversation): Promise<void> {
  const turn = newTurn(conversation, '/sim think 1 300 /sim long 9010');
  const { projectId, clientRequestId } = turn.request;
  const message = turn.request.message ?? '';
  const enough = conversation.random.between(3, 40);
  const stopping: Promise<unknown>[] = [];
  const answer = answering(stage, conversation, turn);
  await follow(
    stage,
    conversation.random,
    turn,
    (client) => client.chat(projectId, { ref: 'main', message, clientRequestId }, stage.over.signal),
    (line) => {
      // The message may be joined with one that was never answered, and that one may have asked for tools.
      answer(line);
      const { turnId } = turn;
      if (turn.seen < enough || turn.mayBreakOff || turnId === null) return;
      turn.mayBreakOff = true;
      stopping.push(insist(stage, conversation.random.fork(), (client) => client.interrupt(projectId, { turnId })));
    },
  );
  await Promise.all(stopping);
}

/** Answers a tool's request for approval, most often with yes. */
function answering(stage: Stage, { projectId, random }: Conversation, turn: SeenTurn): (line: StreamLine) => void {
  return (line) => {
    if (line.type !== 'approval' || line.state !== 'asked') return;
    const { turnId } = turn;
    if (turnId === null) return;
    const approve = random.chance(0.8);
    const { toolCallId } = line;
    const answered = insist(stage, random.fork(), async (client, member) => {
      turn.askedOf.add(member);
      await client.approve(projectId, { turnId, toolCallId, approve }).catch((error: unknown) => {
        // The question is shown a moment before the turn waits for its answer.
        const isEarly = error instanceof ApiError && error.code === 'not_awaiting_approval' && turn.done === null;
        throw isEarly ? new Error('Asked and not waiting yet.') : error;
      });
    });
    const waiting = answered.then(() => undefined);
    stage.connections.add(waiting);
    void waiting.finally(() => stage.connections.delete(waiting));
  };
}

function newTurn(conversation: Conversation, wish: string): SeenTurn {
  const clientRequestId = nextId(conversation);
  const message = `Message ${clientRequestId} of ${conversation.projectId}. ${wish}`;
  const turn = new SeenTurn({ projectId: conversation.projectId, clientRequestId, message });
  conversation.turns.push(turn);
  return turn;
}

let requests = 0;

function nextId(conversation: Conversation): string {
  requests += 1;
  return `${conversation.projectId.slice(0, 8)}-${requests}`;
}
