import { useSyncExternalStore } from 'react';
import type { ProjectSearch } from './queries.ts';
import { PAGE_PROJECTS, projectsQuery, queryClient } from './queries.ts';

// Which projects are chosen to do something with all of them. Null: nobody is choosing.
let chosen: ReadonlySet<string> | null = null;
/** Where a range begins: the row that was clicked last. */
let anchor: { readonly list: string; readonly index: number } | null = null;
const listeners = new Set<() => void>();

function set(next: ReadonlySet<string> | null): void {
  chosen = next;
  if (next === null) anchor = null;
  for (const listener of listeners) listener();
}

export function useChosen(): ReadonlySet<string> | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chosen,
  );
}

export const startChoosing = (first?: string): void => set(new Set(first === undefined ? [] : [first]));
export const stopChoosing = (): void => set(null);

interface Row {
  readonly of: ProjectSearch;
  readonly index: number;
  readonly id: string;
}

/** Chooses a project or takes it back; with Shift, all from the last one on, also those that are not in the page. */
export async function choose({ of, index, id }: Row, isRange: boolean): Promise<void> {
  const list = JSON.stringify(of);
  const isChosen = chosen?.has(id) === true;
  const from = isRange && anchor?.list === list ? anchor.index : index;
  anchor = { list, index };
  const ids = from === index ? [id] : await idsBetween(of, Math.min(from, index), Math.max(from, index));
  const next = new Set(chosen ?? []);
  for (const each of ids) {
    if (isChosen) next.delete(each);
    else next.add(each);
  }
  set(next);
}

async function idsBetween(of: ProjectSearch, first: number, last: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let page = Math.floor(first / PAGE_PROJECTS); page <= Math.floor(last / PAGE_PROJECTS); page += 1) {
    const { projects } = await queryClient.ensureQueryData(projectsQuery(of, page));
    const start = page * PAGE_PROJECTS;
    ids.push(...projects.slice(Math.max(0, first - start), last - start + 1).map(({ id }) => id));
  }
  return ids;
}
