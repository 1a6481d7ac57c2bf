import type { ProjectId } from '@bough/core';

/** Stands for each project, or each client, on its own. */
export const EACH = '*';

/** A limit on what calls may use, in money or in tokens. */
export interface Budget {
  readonly name: string;
  /** The project that it is about; `*`: each one on its own; null: all of them together. */
  readonly project: ProjectId | typeof EACH | null;
  /** The same for clients of the gateway; Bough itself is one of them. */
  readonly client: string | null;
  readonly per: BudgetPeriod;
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
  /** The share of the limit from which on it warns. */
  readonly warnAt: number;
  readonly from: 'file' | 'page';
}

/** Days and months are those of UTC: every server of a database means the same. */
export type BudgetPeriod = 'day' | 'month' | 'total';

/** Whose calls are looked at. */
export interface BudgetScope {
  /** Null where the project does not exist yet. */
  readonly project: ProjectId | null;
  readonly client: string;
}

export interface Period {
  /** The first day that counts; null: all of them. */
  readonly from: string | null;
  /** When it begins anew; null: never. */
  readonly endsAt: string | null;
}

export function periodOf(per: BudgetPeriod, now: Date): Period {
  if (per === 'total') return { from: null, endsAt: null };
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const from = new Date(Date.UTC(year, month, per === 'day' ? day : 1));
  const end = per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
  return { from: from.toISOString().slice(0, 10), endsAt: new Date(end).toISOString() };
}

/** Whether a call would count. A project that does not exist yet has used nothing. */
export function isAbout({ project, client }: Budget, scope: BudgetScope): boolean {
  const ofProject = project === null || (scope.project !== null && (project === EACH || project === scope.project));
  return ofProject && (client === null || client === EACH || client === scope.client);
}
