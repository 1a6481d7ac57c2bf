import type { Client, ListedProjectView } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { projectOf, projectsOf } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, table } from '../terminal/index.ts';
import { dayOf } from '../view/day.ts';
import { shortId } from '../view/short-id.ts';

export const ls: Command = {
  name: 'ls',
  summary: 'List projects, the branches of one, or the messages that you kept something beside.',
  positionals: [{ name: 'project', optional: true }],
  options: {
    search: { description: 'only projects whose names contain this', value: 'text', short: 's' },
    limit: { description: 'how many projects, the last used first (default 100)', value: 'number', short: 'n' },
    starred: { description: 'messages with a star instead, of the project or of all' },
    bookmarked: { description: 'messages with a bookmark instead' },
    noted: { description: 'messages with a note instead' },
    all: { description: 'hidden branches and archived projects too', short: 'a' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough ls', 'bough ls "Sky colours"', 'bough ls --search sky -n 10 --json', 'bough ls --starred'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const named = input.positional('project');
      const all = input.flag('all');
      const kinds = KINDS.filter(([option]) => input.flag(option)).map(([, kind]) => kind);
      if (kinds.length > 0) {
        const project = named === undefined ? undefined : (await projectOf(client, named)).id;
        return listAnnotations(client, input, terminal, { kind: kinds.join(','), ...(project && { project }) });
      }
      if (named === undefined) {
        const search = input.text('search');
        const query = { ...(search === undefined ? {} : { search }), ...(all ? {} : { archived: false }) };
        const { projects, more } = await listed(client, query, input.whole('limit') ?? DEFAULT_LIMIT);
        if (more > 0) terminal.warn(`… and ${more} more: --search finds by name, --limit shows more.\n`);
        if (input.flag('json')) printJson(terminal, projects);
        else
          terminal.write(
            table(
              ['id', 'name', 'last used', 'notes'],
              projects.map(({ id, name, lastUsedAt, pinned, folder, archived }) => [
                id,
                name,
                dayOf(lastUsedAt),
                [pinned ? 'pinned' : '', folder === null ? '' : `in ${folder}`, archived ? 'archived' : '']
                  .filter((note) => note !== '')
                  .join(', '),
              ]),
            ),
          );
        return 0;
      }
      const project = await projectOf(client, named);
      const branches = (await client.listBranches(project.id)).branches.filter(({ hidden }) => all || !hidden);
      if (input.flag('json')) printJson(terminal, branches);
      else
        terminal.write(
          table(
            ['branch', 'model', 'tip', 'notes'],
            branches.map(({ name, provider, model, tipId, pinned, hidden, runningTurnId }) => [
              name,
              `${provider}/${model}`,
              tipId === null ? '(empty)' : shortId(tipId),
              [pinned ? 'pinned' : '', hidden ? 'hidden' : '', runningTurnId === null ? '' : 'running']
                .filter((note) => note !== '')
                .join(', '),
            ]),
          ),
        );
      return 0;
    }),
};

const DEFAULT_LIMIT = 100;
const KINDS = [
  ['starred', 'star'],
  ['bookmarked', 'bookmark'],
  ['noted', 'note'],
] as const;

async function listAnnotations(
  client: Client,
  input: Input,
  terminal: Terminal,
  query: { readonly kind: string; readonly project?: string },
): Promise<0> {
  const limit = input.whole('limit') ?? DEFAULT_LIMIT;
  if (limit === 0 || limit > 500) throw new UsageError('--limit takes a number from 1 to 500 here.');
  const { annotations, total } = await client.listAnnotations({ ...query, limit });
  if (total > annotations.length) terminal.warn(`… and ${total - annotations.length} more: --limit shows more.\n`);
  if (input.flag('json')) printJson(terminal, annotations);
  else
    terminal.write(
      table(
        ['message', 'project', 'branch', 'kept', 'words'],
        annotations.map(({ nodeId, projectName, branchName, kind, name, text, title }) => [
          shortId(nodeId),
          projectName,
          branchName ?? '(none)',
          kind,
          kind === 'note' ? text.replaceAll(/\s+/g, ' ').slice(0, 80) : name === '' ? title.slice(0, 80) : name,
        ]),
      ),
    );
  return 0;
}

async function listed(
  client: Client,
  query: Parameters<typeof projectsOf>[1],
  most: number,
): Promise<{ readonly projects: readonly ListedProjectView[]; readonly more: number }> {
  if (most === 0) throw new UsageError('--limit takes a number above 0.');
  const projects: ListedProjectView[] = [];
  const pages = projectsOf(client, query, most);
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return { projects, more: next.value - projects.length };
    projects.push(next.value);
  }
}
