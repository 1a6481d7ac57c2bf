import type { NodeId, TurnId } from '@bough/core';
import { BoughError, UnknownIdError } from '@bough/core';
import { OverBudgetError } from '../admit/budget.ts';
import type { Environment } from '../environment.ts';
import type { TurnRunner } from '../turn/runner.ts';
import { hasEnded } from '../watch/index.ts';
import type { Cell, RoundAnswer } from './answers.ts';
import { cellsOf, isOpen, progressOf, readAnswers, writeAnswers } from './answers.ts';
import { askedBy } from './asked.ts';
import { expectedCost, priceOf } from './money.ts';
import { askedIn, askOne, outcomeOf } from './one-answer.ts';
import type { Round, RoundReason } from './round.ts';
import { changeRound, getRound } from './round.ts';
import type { QuestionSet } from './set.ts';

/** How long a server keeps a round without renewing it, and how often it does. Nobody waits for a dead one longer. */
const LEASE_MS = 4_000;
const RENEW_MS = 1_300;
/** How often answers are written down while they come. What is not written is found again by the turns. */
const WRITE_MS = 1_000;
/** How long nothing is looked at if nobody says that an answer has ended: it may run on another server. */
const LOOK_MS = 1_000;

export interface RoundWork {
  readonly env: Environment;
  readonly runner: TurnRunner;
  readonly stopTurn: (round: Round, turn: TurnId) => Promise<void>;
  readonly signal: AbortSignal;
  /** Resolves when something may have happened, or after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Takes a round that nobody works on; null if somebody does. */
export async function claimRound(env: Environment, id: string): Promise<Round | null> {
  const now = env.now().getTime();
  const round = await changeRound(env, id, (before) =>
    before.owner !== null && before.owner.id !== env.owner && before.owner.until > now
      ? before
      : { ...before, owner: { id: env.owner, until: now + LEASE_MS } },
  );
  return round.owner?.id === env.owner ? round : null;
}

/** Works on a round until it is over, stands still, belongs to another server, or this one stops. */
export async function workOn(work: RoundWork, claimed: Round): Promise<void> {
  const { env, signal, wait } = work;
  const desk = await Desk.open(work, claimed);
  if (desk === null) return;
  let round: Round | null = claimed;
  while (!signal.aborted) {
    await desk.settle();
    round = await desk.renew();
    if (round === null) return;
    if (round.state === 'cancelled') await desk.stopAll();
    const reason = round.state === 'running' ? await desk.fill() : null;
    if (desk.isIdle()) {
      if (round.state !== 'running') break;
      if (reason !== null) return desk.leave({ state: 'paused', because: reason });
      if (desk.isDone()) return desk.leave({ state: 'finished', endedAt: env.now().toISOString() });
    }
    await wait(LOOK_MS);
  }
  await desk.leave({});
}

/** What a server has before it while it works on a round. */
class Desk {
  readonly #work: RoundWork;
  readonly #set: QuestionSet;
  readonly #answers: Map<string, RoundAnswer>;
  readonly #before: Readonly<Record<string, number>>;
  readonly #spentBefore: number;
  /** What is still to be asked, by provider. */
  readonly #queues = new Map<string, Cell[]>();
  /** The open answers, with what is set aside for them. */
  readonly #open = new Map<string, { readonly cell: Cell; readonly expected: number }>();
  readonly #asked = new Map<number, NodeId>();
  #round: Round;
  #renewedAt: number;
  #writtenAt = 0;
  #isChanged = false;

  private constructor(work: RoundWork, round: Round, set: QuestionSet, found: Awaited<ReturnType<typeof readAnswers>>) {
    this.#work = work;
    this.#round = round;
    this.#set = set;
    this.#answers = new Map(Object.entries(found.answers));
    this.#before = found.before;
    this.#spentBefore = found.spentBefore;
    this.#renewedAt = work.env.now().getTime();
    for (const cell of cellsOf(round, set.questions.length)) {
      const answer = this.#answers.get(cell.key);
      if (answer === undefined) this.#queueOf(cell).push(cell);
      else if (isOpen(answer)) this.#open.set(cell.key, { cell, expected: this.#expected(cell) });
    }
  }

  static async open(work: RoundWork, round: Round): Promise<Desk | null> {
    const { env } = work;
    try {
      return new Desk(work, round, await askedBy(env, round), await readAnswers(env, round.id));
    } catch (error) {
      if (!(error instanceof BoughError)) throw error;
      const because: RoundReason = { code: 'set_gone', detail: error.message };
      await changeRound(env, round.id, (before) => ({ ...before, state: 'paused', because, owner: null }));
      return null;
    }
  }

  isIdle(): boolean {
    return this.#open.size === 0;
  }

  isDone(): boolean {
    return [...this.#queues.values()].every((queue) => queue.length === 0);
  }

  /** Writes down what became of the turns that have ended. */
  async settle(): Promise<void> {
    const { env } = this.#work;
    for (const [key, { expected }] of this.#open) {
      const answer = this.#answers.get(key);
      if (answer === undefined || answer.turnId === null) continue;
      try {
        const turn = await env.store.getTurn(this.#round.projectId, answer.turnId);
        if (!hasEnded(turn)) {
          const status = turn.status === 'awaiting_approval' ? 'waiting' : 'running';
          if (status !== answer.status) this.#note(key, { ...answer, status });
          continue;
        }
        this.#note(key, await outcomeOf(env, turn, answer, expected));
      } catch (error) {
        if (!(error instanceof UnknownIdError)) throw error;
        const gone = { code: 'deleted', detail: 'The answer was deleted.' };
        this.#note(key, { ...answer, status: 'failed', counted: expected, error: gone });
      }
      this.#open.delete(key);
    }
    await this.#write(false);
  }

  /** The round as it is now, kept for a while longer; null if another server has it. */
  async renew(): Promise<Round | null> {
    const { env } = this.#work;
    const now = env.now().getTime();
    this.#round = await (now - this.#renewedAt < RENEW_MS
      ? getRound(env, this.#round.id)
      : changeRound(env, this.#round.id, (before) =>
          before.owner?.id === env.owner
            ? { ...before, progress: this.#progress(), owner: { id: env.owner, until: now + LEASE_MS } }
            : before,
        ));
    if (this.#round.owner?.id !== env.owner) return null;
    if (now - this.#renewedAt >= RENEW_MS) this.#renewedAt = now;
    return this.#round;
  }

  /** Asks for as many answers as may be made at once. Says what keeps it from asking for the next one. */
  async fill(): Promise<RoundReason | null> {
    for (const queue of this.#queues.values())
      for (let cell = queue[0]; cell !== undefined && this.#hasRoom(cell); cell = queue[0]) {
        if (this.#work.signal.aborted) return null;
        const expected = this.#expected(cell);
        const reason = this.#beyondLimit(expected) ?? (await this.#ask(cell, expected));
        if (reason !== null) return reason;
        queue.shift();
      }
    await this.#write(false);
    return null;
  }

  async stopAll(): Promise<void> {
    for (const key of this.#open.keys()) {
      const turn = this.#answers.get(key)?.turnId;
      if (turn != null) await this.#work.stopTurn(this.#round, turn);
    }
  }

  /** Puts everything down. What is still under way keeps the round from being taken for one that is settled. */
  async leave(change: Partial<Pick<Round, 'state' | 'because' | 'endedAt'>>): Promise<void> {
    const { env } = this.#work;
    await this.#write(true);
    await changeRound(env, this.#round.id, (before) =>
      before.owner?.id === env.owner
        ? {
            ...before,
            // A person who decided meanwhile is right.
            ...(before.state === 'running' ? change : {}),
            progress: this.#progress(),
            owner: this.isIdle() ? null : { id: env.owner, until: 0 },
          }
        : before,
    );
    await env.store.publish({ type: 'changed', projectId: this.#round.projectId });
  }

  /** A cell that waits for a person takes nobody's place. */
  #hasRoom(cell: Cell): boolean {
    const provider = this.#providerOf(cell);
    const busy = [...this.#open.values()].filter(
      (open) => this.#providerOf(open.cell) === provider && this.#answers.get(open.cell.key)?.status === 'running',
    );
    return busy.length < this.#round.atOnce;
  }

  #beyondLimit(expected: number): RoundReason | null {
    const { spent } = this.#progress();
    const aside = [...this.#open.values()].reduce((sum, open) => sum + open.expected, 0);
    const { limit } = this.#round;
    if (spent + aside + expected <= limit && (spent < limit || expected === 0)) return null;
    return {
      code: 'limit_reached',
      detail: `$${spent.toFixed(4)} of $${limit} are spent, and the next answer may cost $${expected.toFixed(4)}.`,
    };
  }

  async #ask(cell: Cell, expected: number): Promise<RoundReason | null> {
    const { env, runner } = this.#work;
    const question = this.#set.questions[cell.question]?.text ?? '';
    const asked = this.#asked.get(cell.question) ?? (await this.#askedBefore(cell.question));
    try {
      const before = this.#before[cell.key] ?? 0;
      const started = await askOne(env, runner, this.#round, { cell, before, question, asked });
      const node = asked ?? (await askedIn(env, started));
      if (node !== null) this.#asked.set(cell.question, node);
      const { turn, branch } = started;
      this.#note(cell.key, {
        ...UNKNOWN,
        status: 'running',
        turnId: turn.id,
        branchId: branch.id,
        branch: branch.name,
      });
      this.#open.set(cell.key, { cell, expected });
      return null;
    } catch (error) {
      if (!(error instanceof BoughError)) throw error;
      const { code, message: detail } = error;
      if (error instanceof OverBudgetError) return { code: 'over_budget', detail };
      if (error instanceof UnknownIdError && error.kind === 'project') return { code: 'project_gone', detail };
      this.#note(cell.key, { ...UNKNOWN, status: 'refused', error: { code, detail } });
      return null;
    }
  }

  /** The question in the tree, where an earlier server, or an earlier attempt, asked it. */
  async #askedBefore(question: number): Promise<NodeId | null> {
    const { env } = this.#work;
    const { projectId } = this.#round;
    for (const [key, { turnId, branchId }] of this.#answers) {
      if (!key.startsWith(`${question}.`) || turnId === null || branchId === null) continue;
      try {
        const turn = await env.store.getTurn(projectId, turnId);
        const branch = await env.store.getBranch(projectId, branchId);
        return await askedIn(env, { turn, branch, repeated: true });
      } catch (error) {
        // It was deleted: the question is asked anew.
        if (!(error instanceof UnknownIdError)) throw error;
      }
    }
    return null;
  }

  #expected(cell: Cell): number {
    const { env } = this.#work;
    const { targets, maxTokens } = this.#round;
    const target = targets[cell.target];
    if (target === undefined) return 0;
    const question = this.#set.questions[cell.question]?.text ?? '';
    const price = priceOf(env, target, { question, systemPrompt: this.#set.systemPrompt, maxTokens });
    const costs = [...this.#answers].flatMap(([key, { cost }]) =>
      key.split('.')[1] === String(cell.target) && cost !== null ? [cost] : [],
    );
    return expectedCost(price, maxTokens, { count: costs.length, sum: costs.reduce((sum, cost) => sum + cost, 0) });
  }

  #note(key: string, answer: RoundAnswer): void {
    this.#answers.set(key, answer);
    this.#isChanged = true;
  }

  async #write(now: boolean): Promise<void> {
    const { env } = this.#work;
    const at = env.now().getTime();
    if (!this.#isChanged || (!now && at - this.#writtenAt < WRITE_MS)) return;
    this.#isChanged = false;
    this.#writtenAt = at;
    await writeAnswers(env, this.#round.id, this.#all());
  }

  #all() {
    return {
      answers: Object.fromEntries(this.#answers),
      before: this.#before,
      spentBefore: this.#spentBefore,
    };
  }

  #progress() {
    return progressOf(this.#all());
  }

  #queueOf(cell: Cell): Cell[] {
    const provider = this.#providerOf(cell);
    const queue = this.#queues.get(provider) ?? [];
    this.#queues.set(provider, queue);
    return queue;
  }

  #providerOf(cell: Cell): string {
    return this.#round.targets[cell.target]?.provider ?? '';
  }
}

const UNKNOWN: RoundAnswer = {
  status: 'running',
  turnId: null,
  branchId: null,
  branch: null,
  nodeId: null,
  cost: null,
  counted: 0,
  milliseconds: null,
  outputTokens: null,
  error: null,
};
