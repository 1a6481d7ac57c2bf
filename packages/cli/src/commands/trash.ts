import type { Client, TrashEntryView } from '@bough/api';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { PROJECT_OPTION, projectOf } from '../connect/names.ts';
import { printJson, table } from '../terminal/index.ts';

export const trash: Command = {
  name: 'trash',
  summary: 'List what was deleted in the last thirty days; restore it, or delete it for good.',
  positionals: [],
  options: {
    ...PROJECT_OPTION,
    restore: { description: 'restore this entry', value: 'id' },
    delete: { description: 'delete this entry for good', value: 'id' },
    empty: { description: 'delete everything that is listed for good' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough trash', 'bough trash --project "Sky colours" --json'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const [restore, remove] = [input.text('restore'), input.text('delete')];
      const chosen = [restore, remove, input.flag('empty') || undefined].filter((choice) => choice !== undefined);
      if (chosen.length > 1) throw new UsageError('Choose one of --restore, --delete and --empty.');
      const json = input.flag('json');
      const named = input.text('project');
      const project = named === undefined ? undefined : await projectIdOf(client, named);
      if (restore !== undefined) {
        const { entry } = await client.restoreTrash(await entryIdOf(client, restore));
        if (json) printJson(terminal, entry);
        else terminal.write(`Restored ${whatOf(entry)} in ${entry.projectName}.\n`);
        return 0;
      }
      if (remove !== undefined) {
        const id = await entryIdOf(client, remove);
        await client.purgeTrash(id);
        if (json) printJson(terminal, { deleted: id });
        else terminal.write('Deleted for good.\n');
        return 0;
      }
      if (input.flag('empty')) {
        const { purged } = await client.emptyTrash(project);
        if (json) printJson(terminal, { purged });
        else terminal.write(`Deleted ${purged} ${purged === 1 ? 'entry' : 'entries'} for good.\n`);
        return 0;
      }
      const { entries } = await client.listTrash(project);
      if (json) printJson(terminal, entries);
      else if (entries.length === 0) terminal.write('The trash is empty.\n');
      else
        terminal.write(
          table(
            ['id', 'deleted', 'project', 'what', 'kept until'],
            entries.map((entry) => [
              entry.id.slice(0, 8),
              entry.deletedAt.slice(0, 16).replace('T', ' '),
              entry.projectName,
              whatOf(entry),
              entry.purgedAt.slice(0, 10),
            ]),
          ),
        );
      return 0;
    }),
};

/** A project that lies in the trash is not among the projects, but its entries still name it. */
async function projectIdOf(client: Client, named: string): Promise<string> {
  const { entries } = await client.listTrash();
  const gone = entries.find(({ projectId, projectName }) => projectId === named || projectName === named);
  return gone?.projectId ?? (await projectOf(client, named)).id;
}

/** By its id or the beginning of it. */
async function entryIdOf(client: Client, start: string): Promise<string> {
  const { entries } = await client.listTrash();
  const found = entries.filter(({ id }) => id.startsWith(start));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const problem = only === undefined ? 'nothing' : `${found.length} entries`;
  throw new UsageError(`"${start}" names ${problem} in the trash. \`bough trash\` lists it.`);
}

function whatOf({ kind, title, messages }: TrashEntryView): string {
  const count = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
  const excerpt = title.length > 40 ? `${Array.from(title).slice(0, 39).join('')}…` : title;
  if (kind === 'branch') return `branch ${title}`;
  return kind === 'project' ? `project ${title} (${count})` : `${count}: ${excerpt}`;
}
