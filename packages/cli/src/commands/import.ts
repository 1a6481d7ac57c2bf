import type { Envelope } from '@bough/core';
import type { ImportOptions, ImportReport } from '@bough/transfer';
import { importPath, rehearseImport } from '@bough/transfer';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { settingsOf, STORE_OPTIONS } from '../connect/index.ts';
import { importEnvelope, rehearsalEnvelope, withStore } from '../connect/store.ts';
import { printJson, startProgress } from '../terminal/index.ts';
import { reportText } from '../view/import-report.ts';

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
  run: async (input, terminal) => {
    const path = resolve(terminal.cwd, input.required('path'));
    const size = await stat(path).then(
      (found) => (found.isFile() ? found.size : null),
      () => null,
    );
    const dryRun = input.flag('dry-run');
    const wanted = { provider: input.text('provider'), model: input.text('model') };
    const work = async (reading: (options: ImportOptions) => Promise<ImportReport>, envelope: Envelope) => {
      const progress = startProgress(terminal, 'Reading', size);
      const report = await reading({
        envelope,
        onError: input.text('on-error') === 'skip' ? 'skip' : 'stop',
        onBytes: (bytes) => progress.update(bytes),
      }).finally(() => progress.end());
      if (input.flag('json')) printJson(terminal, report);
      else terminal.write(reportText(report, !dryRun));
      return 0 as const;
    };
    // Opening a store takes a lock, and may create the store: a rehearsal must do neither.
    if (dryRun)
      return work((options) => rehearseImport(path, options), rehearsalEnvelope(settingsOf(input, terminal), wanted));
    return withStore(input, terminal, (store, settings) =>
      work((options) => importPath(store, path, options), importEnvelope(settings, wanted)),
    );
  },
};
