import type { BranchView, Client, ListedProjectView, ListProjectsInput, ProjectView } from '@bough/api';
import { UnknownIdError } from '@bough/core';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';

export const PROJECT_OPTION: OptionSpecs = {
  project: { description: 'the project: its id, the beginning of it, or its name', value: 'project', short: 'p' },
};

/** Fewer letters of an id do not name anything. */
const SHORTEST = 4;

/** The named project, or the only one where none is named. Two matches are an error, never a guess. */
export async function projectOf(client: Client, named: string | undefined): Promise<ProjectView> {
  if (named === undefined) {
    const [only, another] = (await client.listProjects({ limit: 2 })).projects;
    if (only !== undefined && another === undefined) return only;
    throw new UsageError(
      only === undefined
        ? 'There is no project yet. Begin one with `bough chat`.'
        : 'There are several projects. Name one with --project; `bough ls` lists them.',
    );
  }
  // Not by reading all of them: there may be a hundred thousand.
  const byId = await client.listProjects({ id: named, limit: 2 });
  const found = [...byId.projects];
  for await (const project of projectsOf(client, { search: named }))
    if (project.name === named && !found.some(({ id }) => id === project.id)) found.push(project);
  return oneOf('project', named, found, ({ name }) => name);
}

const PAGE = 200;

/** The projects that a query finds, read page by page, the last used first. */
export async function* projectsOf(
  client: Client,
  query: Omit<ListProjectsInput, 'limit' | 'offset'>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<ListedProjectView, number> {
  for (let offset = 0; ;) {
    const limit = Math.min(PAGE, most - offset);
    const { projects, total } = await client.listProjects({ ...query, limit, offset });
    yield* projects;
    offset += projects.length;
    if (projects.length < limit || offset >= Math.min(most, total)) return total;
  }
}

export async function branchOf(client: Client, project: string, named: string): Promise<BranchView> {
  return oneOf('branch', named, (await client.listBranches(project)).branches, ({ name }) => name);
}

/** A node by its id or by a unique prefix of it. */
export async function nodeIdOf(client: Client, project: string, named: string): Promise<string> {
  if (named.length < SHORTEST) throw unknown('node', named);
  const { ids } = await client.findNodes(project, named);
  return oneOf(
    'node',
    named,
    ids.map((id) => ({ id })),
    () => null,
  ).id;
}

export async function projectOption(client: Client, input: Input): Promise<ProjectView> {
  return projectOf(client, input.text('project'));
}

/** Where the names are that would have fitted. */
const LISTED: Readonly<Record<string, string>> = {
  project: '`bough ls` lists the projects.',
  branch: '`bough ls PROJECT` lists the branches.',
  node: `\`bough log BRANCH\` lists the nodes; ${SHORTEST} letters of an id are enough, if they begin only one.`,
  'question set': '`bough run-set` lists the sets.',
};

const unknown = (kind: string, named: string): UnknownIdError => new UnknownIdError(kind, named, LISTED[kind]);

/** By id, by name, or by a unique prefix of the id. */
export function oneOf<Item extends { readonly id: string }>(
  kind: string,
  named: string,
  items: readonly Item[],
  nameOf: (item: Item) => string | null,
): Item {
  const exact = items.find(({ id }) => id === named);
  if (exact !== undefined) return exact;
  const fitting = [
    items.filter((item) => nameOf(item) === named),
    named.length < SHORTEST ? [] : items.filter(({ id }) => id.startsWith(named)),
  ].find((found) => found.length > 0);
  const [item, another] = fitting ?? [];
  if (item === undefined) throw unknown(kind, named);
  if (another !== undefined) throw new UsageError(`More than one ${kind} fits "${named}". Use the whole id.`);
  return item;
}
