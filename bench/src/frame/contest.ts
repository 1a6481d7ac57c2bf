import { type Spread, spreadOf } from './spread.ts';

/** Bough, something that does less than Bough must do (the floor), or something that does what Bough does (a peer). */
export type Role = 'bough' | 'floor' | 'peer';

export interface Contestant {
  readonly name: string;
  readonly role: Role;
  /** One round. Checks its own output, and returns the measured value; less is better. */
  run(): number | Promise<number>;
}

/** What Bough's figure must be, relative to another contestant of the same contest or in the contest's own unit. */
export type Goal =
  | { readonly atMost: number; readonly times: string }
  | { readonly atMost: number; readonly above: string }
  | { readonly atMost: number; readonly absolute: true };

export interface Contest {
  /** `stream`, `fold`, … : the row of the table. */
  readonly work: string;
  /** What was varied: `64 streams`, `1,000 turns`. */
  readonly size: string;
  readonly unit: string;
  readonly rounds: number;
  readonly contestants: readonly Contestant[];
  readonly goals?: readonly Goal[];
}

export interface Figure extends Spread {
  readonly contestant: string;
  readonly role: Role;
  /** Relative to the floor, round by round: what disturbs a whole round disturbs both alike. */
  readonly timesFloor?: Spread;
}

export interface Verdict {
  readonly goal: string;
  readonly value: number;
  readonly met: boolean;
}

export interface Result {
  readonly work: string;
  readonly size: string;
  readonly unit: string;
  readonly rounds: number;
  readonly figures: readonly Figure[];
  readonly verdicts: readonly Verdict[];
}

/**
 * Runs the contestants in turn, round after round, each round starting with a different one; a warm-up round is not
 * counted.
 */
export async function hold(contest: Contest): Promise<Result> {
  const { contestants } = contest;
  const samples = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < contest.rounds; round += 1) {
    for (let at = 0; at < contestants.length; at += 1) {
      const contestant = contestants[(at + Math.max(round, 0)) % contestants.length];
      if (contestant === undefined) continue;
      globalThis.gc?.();
      const value = await contestant.run();
      if (round >= 0) samples.get(contestant.name)?.push(value);
    }
  }
  return judge(contest, samples);
}

/**
 * Builds a result from samples that were taken elsewhere, one list per contestant, with the rounds in the same order.
 */
export function judge(contest: Contest, samples: ReadonlyMap<string, readonly number[]>): Result {
  const of = (name: string): readonly number[] => {
    const found = samples.get(name);
    if (found === undefined) throw new Error(`${contest.work}: nothing is called "${name}".`);
    return found;
  };
  const floor = contest.contestants.find(({ role }) => role === 'floor');
  const figures = contest.contestants.map(({ name, role }): Figure => {
    const figure = { contestant: name, role, ...spreadOf(of(name)) };
    return floor === undefined || role === 'floor'
      ? figure
      : { ...figure, timesFloor: ratio(of(name), of(floor.name)) };
  });
  const bough = contest.contestants.find(({ role }) => role === 'bough');
  const verdicts = (contest.goals ?? []).map((goal) => verdictOn(goal, contest.unit, of, bough?.name ?? ''));
  return { work: contest.work, size: contest.size, unit: contest.unit, rounds: contest.rounds, figures, verdicts };
}

function verdictOn(goal: Goal, unit: string, of: (name: string) => readonly number[], bough: string): Verdict {
  if ('times' in goal) {
    const value = ratio(of(bough), of(goal.times)).median;
    return { goal: `≤ ${short(goal.atMost)} × ${goal.times}`, value, met: value <= goal.atMost };
  }
  if ('above' in goal) {
    const other = of(goal.above);
    const value = spreadOf(of(bough).map((sample, round) => sample - (other[round] ?? Number.NaN))).median;
    return { goal: `≤ ${short(goal.atMost)} ${unit} above ${goal.above}`, value, met: value <= goal.atMost };
  }
  const value = spreadOf(of(bough)).median;
  return { goal: `≤ ${short(goal.atMost)} ${unit}`, value, met: value <= goal.atMost };
}

/** How a figure grew from the smallest size to the largest: `growth([at1k, at1M])` is judged like any other goal. */
export function growth(small: Result, large: Result, atMost: number): Verdict {
  const value = boughFigure(large).median / boughFigure(small).median;
  return { goal: `≤ ${short(atMost)} × ${small.size} at ${large.size}`, value, met: value <= atMost };
}

function boughFigure(result: Result): Figure {
  const figure = result.figures.find(({ role }) => role === 'bough');
  if (figure === undefined) throw new Error(`${result.work} ${result.size}: Bough did not take part.`);
  return figure;
}

function ratio(samples: readonly number[], others: readonly number[]): Spread {
  return spreadOf(samples.map((sample, round) => sample / (others[round] ?? Number.NaN)));
}

export function short(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toFixed(Math.min(digits, 6)));
  return rounded.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 6) });
}
