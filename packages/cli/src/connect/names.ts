import type { BranchView, Client, ProjectView } from '@bough/api';
import { UnknownIdError } from '@bough/core';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';

export const PROJECT_OPTION: OptionSpecs = {
  project: { description: 'the project: its id, the beginning of it, or its name', value: 'project', short: 'p' },
};

/** The named project, or the only one where none is named. Two matches are an error, never a guess. */
export async function projectOf(client: Client, named: string | undefined): Promise<ProjectView> {
  const { projects } = await client.listProjects();
  if (named === undefined) {
    const [only, another] = projects;
    if (only !== undefined && another === undefined) return only;
    throw new UsageError(
      projects.length === 0
        ? 'There is no project yet. Begin one with `bough chat`.'
        : 'There are several projects. Name one with --project; `bough ls` lists them.',
    );
  }
  return oneOf('project', named, projects, ({ name }) => name);
}

export async function branchOf(client: Client, project: string, named: string): Promise<BranchView> {
  return oneOf('branch', named, (await client.listBranches(project)).branches, ({ name }) => name);
}

/** A node by its id or by a unique prefix of it. */
export async function nodeIdOf(client: Client, project: string, named: string): Promise<string> {
  return oneOf('node', named, (await client.graph(project)).nodes, () => null).id;
}

export async function projectOption(client: Client, input: Input): Promise<ProjectView> {
  return projectOf(client, input.text('project'));
}

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
    named.length < 4 ? [] : items.filter(({ id }) => id.startsWith(named)),
  ].find((found) => found.length > 0);
  const [item, another] = fitting ?? [];
  if (item === undefined) throw new UnknownIdError(kind, named);
  if (another !== undefined) throw new UsageError(`More than one ${kind} fits "${named}". Use the whole id.`);
  return item;
}
