import type { NodeId, Turn } from '@bough/core';
import { ConflictError } from '@bough/store';
import { startedBefore } from '../admit/requests.ts';
import type { StartedTurn } from '../admit/start.ts';
import { startTurn } from '../admit/start.ts';
import { planFork } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import type { Cell, RoundAnswer } from './answers.ts';
import type { Round } from './round.ts';

export interface Asking {
  readonly cell: Cell;
  /** How often it was asked before. */
  readonly before: number;
  readonly question: string;
  /** The question, if an answer to it has stored it already. */
  readonly asked: NodeId | null;
}

/**
 * Asks for one answer. The id of its request names the round, the cell and the attempt, so that the store admits it
 * once: a server that goes on after a crash, or two at the same time, find the turn that was begun and ask nobody.
 */
export async function askOne(
  env: Environment,
  runner: TurnRunner,
  round: Round,
  { cell, before, question, asked }: Asking,
): Promise<StartedTurn> {
  const clientRequestId = `bough:round:${round.id}:${cell.key}:${before}`;
  const { projectId, maxTokens } = round;
  const known = await startedBefore(env, projectId, clientRequestId);
  if (known !== null) return known;
  const target = round.targets[cell.target];
  if (target === undefined) throw new Error(`The round has no target ${cell.target}.`);
  const plain = nameOf(target.label, cell, before);
  for (let tries = 1; ; tries += 1) {
    const name = tries === 1 ? plain : `${plain} #${tries}`;
    // Names of cells differ: reading the thousands of branches before each new one would find nothing.
    const { branch } = await planFork(env, projectId, {
      source: null,
      point: asked,
      requested: target.requested,
      name,
      branches: [],
    });
    try {
      return await startTurn(env, runner, {
        projectId,
        branch,
        isNewBranch: true,
        parentId: asked,
        ...(asked === null ? { content: [{ type: 'text', text: question }] } : {}),
        ...(maxTokens === null ? {} : { limits: { maxTokens } }),
        clientRequestId,
      });
    } catch (error) {
      // A person made a branch of that name.
      if (!(error instanceof ConflictError && error.code === 'name_taken') || tries === NAMES) throw error;
    }
  }
}

const NAMES = 5;
const LABEL_CHARACTERS = 120;

function nameOf(label: string, { question, sample }: Cell, before: number): string {
  const short = Array.from(label).slice(0, LABEL_CHARACTERS).join('');
  const parts = [sample > 0 ? `sample ${sample + 1}` : '', before > 0 ? `try ${before + 1}` : ''].filter(Boolean);
  return [`${question + 1}. ${short}`, ...parts].join(', ');
}

/** The message that a turn answers: one of its own, or the one that its branch was forked from. */
export async function askedIn(env: Environment, { turn, branch }: StartedTurn): Promise<NodeId | null> {
  const own = (await env.store.nodesOfTurn(turn.projectId, turn.id)).find(({ role }) => role === 'user');
  return own?.id ?? branch.forkedFromId;
}

/** What became of a turn that has ended. `expected` counts where the provider did not. */
export async function outcomeOf(
  env: Environment,
  { projectId, id, status }: Turn,
  answer: RoundAnswer,
  expected: number,
): Promise<RoundAnswer> {
  const nodes = await env.store.nodesOfTurn(projectId, id);
  const calls = await env.store.callsOfTurn(projectId, id);
  const reply = nodes.findLast(({ role, isError }) => role === 'assistant' && !isError);
  const failure = nodes.findLast(({ isError }) => isError);
  const known = calls.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const isKnown = calls.every(({ cost }) => cost !== null);
  const times = calls.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt ?? startedAt)]);
  const code = calls.findLast(({ errorCode }) => errorCode !== null)?.errorCode ?? 'failed';
  return {
    ...answer,
    status: status === 'complete' ? 'complete' : status === 'error' ? 'failed' : 'interrupted',
    nodeId: reply?.id ?? failure?.id ?? null,
    cost: isKnown ? known : null,
    counted: isKnown ? known : Math.max(known, expected),
    milliseconds: times.length === 0 ? null : Math.max(...times) - Math.min(...times),
    outputTokens: calls.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0),
    error: status === 'error' ? { code, detail: failure?.content ?? '' } : null,
  };
}
