import { heldBy } from '@bough/store';
import type { Command } from '../command.ts';
import { STORE_OPTIONS } from '../connect/index.ts';
import { oneOf } from '../connect/names.ts';
import { withStore } from '../connect/store.ts';
import { printJson } from '../terminal/index.ts';
import { countsText } from '../view/import-report.ts';

export const beside: Command = {
  name: 'beside',
  summary: 'Say what is kept beside a project for the program that it came from, or remove that.',
  positionals: [{ name: 'project', optional: true }],
  options: { ...STORE_OPTIONS, remove: { description: 'remove it for good; the way back is then closed' } },
  examples: ['bough beside', 'bough beside "Sky colours" --remove'],
  run: (input, terminal) =>
    withStore(input, terminal, async (store) => {
      const named = input.positional('project');
      const listed = await store.listProjects();
      const projects = named === undefined ? listed : [oneOf('project', named, listed, ({ name }) => name)];
      const found: { projectId: string; name: string; documents: readonly string[]; beside: object }[] = [];
      for (const { id, name } of projects) {
        const documents = await store.foreignDocuments(id);
        if (documents.length === 0) continue;
        const held = heldBy(documents);
        found.push({ projectId: id, name, documents: documents.map((document) => document.name), beside: held });
        if (input.flag('remove')) await store.replaceForeign(id, []);
        // What the other program wrote into the project's own files is not beside it.
        const stays = input.flag('remove') && (await store.foreignDocuments(id)).length > 0;
        const end = stays
          ? ' These are in the project’s own files, and stay.'
          : input.flag('remove')
            ? ' Removed.'
            : '';
        if (!input.flag('json')) terminal.write(`${name} (${id}): ${countsText(held) || 'its original form'}.${end}\n`);
      }
      if (input.flag('json')) printJson(terminal, found);
      else if (found.length === 0) terminal.write('Nothing is kept for another program.\n');
      return 0;
    }),
};
