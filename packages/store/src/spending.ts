import type { Call, ProjectId } from '@bough/core';

/** What was used, as far as anybody said. */
export interface Spent {
  readonly calls: number;
  /** Calls that used something, but whose provider did not say how much. They are in none of the sums. */
  readonly uncounted: number;
  /** Calls whose tokens are known and whose price is not. They are not in `cost`. */
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that was read from a cache, and the part that was written to one. */
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens: number;
  /** In US dollars. */
  readonly cost: number;
}

/** What one model was used for, by whom the query asks. */
export interface ModelSpending extends Spent {
  /** Null where the query does not tell days apart. */
  readonly day: string | null;
  /** Null where the query does not tell projects apart. */
  readonly project: ProjectId | null;
  /** Null where the query does not tell clients apart. */
  readonly client: string | null;
  readonly provider: string;
  readonly model: string;
}

export interface SpendingQuery {
  /** The first day that counts, as `2026-11-18`; absent: all days. */
  readonly from?: string;
  /** The last day that counts; absent: none is the last. */
  readonly until?: string;
  readonly project?: ProjectId;
  readonly client?: string;
  /** What to tell apart besides models. */
  readonly by?: readonly ('day' | 'project' | 'client')[];
}

/** One line of the account: what a client used of a model, in a project, on a day. */
export interface AccountLine extends Spent {
  readonly day: string;
  readonly project: ProjectId;
  readonly client: string;
  readonly provider: string;
  readonly model: string;
}

/** Who makes the calls that come from no client of the gateway. */
export const OWN_CLIENT = 'bough';

const DAY = /^\d{4}-\d\d-\d\d(?=T|$)/;
/** For a call whose beginning is no time: it counts, but on no day. */
const NO_DAY = '0000-00-00';

/** A call as a line of the account. It belongs to the day (UTC) on which it began, which never changes. */
export function lineOf(call: Call): AccountLine {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = call.usage ?? {};
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  // What a provider refused, and answered with nothing, used nothing.
  const hasUsed = call.firstByteAt !== null || call.status !== 'error';
  return {
    day: DAY.exec(call.startedAt)?.[0] ?? NO_DAY,
    project: call.projectId,
    client: call.exchange?.client.replace(/\/.*$/s, '') ?? OWN_CLIENT,
    provider: call.provider,
    model: call.model,
    calls: 1,
    uncounted: !isCounted && hasUsed ? 1 : 0,
    unpriced: isCounted && call.cost === null ? 1 : 0,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    cacheWriteTokens: cacheWriteTokens ?? 0,
    reasoningTokens: reasoningTokens ?? 0,
    cost: call.cost ?? 0,
  };
}

const NOTHING: Spent = {
  calls: 0,
  uncounted: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: 0,
};

function plus(a: Spent, b: Spent): Spent {
  return {
    calls: a.calls + b.calls,
    uncounted: a.uncounted + b.uncounted,
    unpriced: a.unpriced + b.unpriced,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cost: a.cost + b.cost,
  };
}

/** Lines that are about the same as one, in a steady order: writers that lock in it never wait for one another. */
export function summed(lines: readonly AccountLine[]): readonly AccountLine[] {
  const sums = new Map<string, AccountLine>();
  for (const line of lines) {
    const key = keyOf(line);
    sums.set(key, { ...line, ...plus(sums.get(key) ?? NOTHING, line) });
  }
  return [...sums.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

const keyOf = ({ day, project, client, provider, model }: AccountLine): string =>
  JSON.stringify([day, project, client, provider, model]);

export function isWanted(day: string, { from, until }: SpendingQuery): boolean {
  return (from === undefined || day >= from) && (until === undefined || day <= until);
}

/** What the lines of an account say to a question. */
export function spendingOf(lines: Iterable<AccountLine>, query: SpendingQuery): readonly ModelSpending[] {
  const { project, client, by = [] } = query;
  const sums = new Map<string, ModelSpending>();
  for (const line of lines) {
    if (!isWanted(line.day, query)) continue;
    if (project !== undefined && line.project !== project) continue;
    if (client !== undefined && line.client !== client) continue;
    const group = {
      day: by.includes('day') ? line.day : null,
      project: by.includes('project') ? line.project : null,
      client: by.includes('client') ? line.client : null,
      provider: line.provider,
      model: line.model,
    };
    const key = JSON.stringify(group);
    sums.set(key, { ...group, ...plus(sums.get(key) ?? NOTHING, line) });
  }
  return [...sums.values()];
}
