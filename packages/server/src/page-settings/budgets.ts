import type { BudgetInput, BudgetListView, BudgetView } from '@bough/api';
import { projectId, UnknownIdError } from '@bough/core';
import type { Budget, BudgetPeriod, BudgetState } from '@bough/engine';
import { EACH, periodOf } from '@bough/engine';
import type { Config, PageSettings } from '../config/index.ts';
import { without } from './kept-values.ts';
import { requireOpen, setInFile } from './refusals.ts';

export interface BudgetSettings {
  /** Those that count, as they are set at the moment. */
  readonly current: () => readonly Budget[];
  /** With what is used of them; `nameOf` tells the names of projects that exist. */
  readonly views: (
    states: readonly BudgetState[],
    nameOf: (project: string) => string | undefined,
  ) => Omit<BudgetListView, 'budgets'> & { readonly budgets: BudgetView[] };
  readonly set: (name: string, entry: BudgetInput) => void;
  readonly remove: (name: string) => void;
}

type Entries = Readonly<Record<string, BudgetInput>>;

const WARN_AT = 0.8;
const MAX_USES = 100;

/** The budgets of the configuration file and of the settings page: the file decides where both have one. */
export function createBudgetSettings(config: Config, page: PageSettings, now: () => Date): BudgetSettings {
  const inFile: Entries = config.file.budgets ?? {};
  const inPage = (): Entries => page.current().budgets ?? {};
  const all = (): readonly (readonly [string, BudgetInput, 'file' | 'page'])[] => [
    ...Object.entries(inFile).map(([name, entry]) => [name, entry, 'file'] as const),
    ...Object.entries(inPage()).flatMap(([name, entry]) =>
      Object.hasOwn(inFile, name) ? [] : [[name, entry, 'page'] as const],
    ),
  ];
  const write = (edit: (entries: Entries) => Entries): void =>
    page.change((file) => ({ ...file, budgets: { ...edit(file.budgets ?? {}) } }));
  return {
    current: () => all().map(([name, entry, from]) => budgetOf(name, entry, from)),
    views: (states, nameOf) => ({
      file: config.filePath,
      pageFile: page.path,
      locked: config.pageLocked,
      budgets: all().map(([name, entry, from]) => {
        const { unit, limit, per } = budgetOf(name, entry, from);
        const { endsAt } = periodOf(per, now());
        const own = states.filter(({ budget }) => budget.name === name);
        const uses = own.slice(0, MAX_USES).map(({ project, client, used, level, unpriced, uncounted }) => ({
          projectId: project,
          projectName: project === null ? null : (nameOf(project) ?? null),
          client,
          used,
          level,
          unpriced: [...unpriced],
          uncounted,
        }));
        const alsoInPage = from === 'file' && Object.hasOwn(inPage(), name);
        return { name, from, alsoInPage, entry, unit, limit, endsAt, uses };
      }),
    }),
    set: (name, entry) => {
      requireOpen(config);
      if (Object.hasOwn(inFile, name)) throw setInFile(`"${name}"`, config);
      write((entries) => ({ ...entries, [name]: entry }));
    },
    remove: (name) => {
      requireOpen(config);
      if (!Object.hasOwn(inPage(), name)) {
        if (Object.hasOwn(inFile, name)) throw setInFile(`"${name}"`, config);
        throw new UnknownIdError('budget', name);
      }
      write((entries) => without(entries, name));
    },
  };
}

const DEFAULT_PERIOD: BudgetPeriod = 'day';

function budgetOf(name: string, entry: BudgetInput, from: Budget['from']): Budget {
  const { project, client = null, per = DEFAULT_PERIOD, usd, tokens, warnAt = WARN_AT } = entry;
  return {
    name,
    project: project === undefined ? null : project === EACH ? EACH : projectId(project),
    client,
    per,
    unit: usd === undefined ? 'tokens' : 'usd',
    limit: usd ?? tokens ?? 0,
    warnAt,
    from,
  };
}
