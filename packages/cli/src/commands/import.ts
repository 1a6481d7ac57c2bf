import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { STORE_OPTIONS } from '../connect/index.ts';
import { importEnvelope, withStore } from '../connect/store.ts';
import { importPath, reportText } from '../import/index.ts';
import { printJson, startProgress } from '../terminal/index.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import conversations: ChatGPT, Claude, Loom, ResearchTree, AI SDK, OpenAI, Anthropic, JSONL, bundles.',
  positionals: [{ name: 'path' }],
  options: {
    'on-error': {
      description: 'a malformed record is skipped, or nothing at all is imported (default stop)',
      value: 'way',
      choices: ['skip', 'stop'],
    },
    'dry-run': { description: 'read and report, write nothing' },
    provider: { description: 'what imported branches go on with', value: 'id' },
    model: { description: 'the model that they go on with', value: 'id' },
    ...STORE_OPTIONS,
  },
  examples: [
    'bough import ~/Downloads/conversations.json',
    'bough import ~/.loom --dry-run',
    'bough import ./bundle --store files',
  ],
  run: (input, terminal) =>
    withStore(input, terminal, async (store, settings) => {
      const path = resolve(terminal.cwd, input.required('path'));
      const size = await stat(path).then(
        (found) => (found.isFile() ? found.size : null),
        () => null,
      );
      const progress = startProgress(terminal, 'Reading', size);
      const dryRun = input.flag('dry-run');
      const report = await importPath(store, path, {
        envelope: importEnvelope(settings, { provider: input.text('provider'), model: input.text('model') }),
        onError: input.text('on-error') === 'skip' ? 'skip' : 'stop',
        dryRun,
        onBytes: (bytes) => progress.update(bytes),
      }).finally(() => progress.end());
      if (input.flag('json')) printJson(terminal, report);
      else terminal.write(reportText(report, !dryRun));
      return 0;
    }),
};
