import type { Envelope } from '@bough/core';
import { excerpt } from '@bough/core';
import type { Deployment } from '@bough/providers';
import { UnknownProviderError } from '@bough/providers';
import { createFileKeeper } from '@bough/server';
import type { Store } from '@bough/store';
import type { FollowOptions, ImportOptions, ImportReport } from '@bough/transfer';
import { followPath, importPath, rehearseImport } from '@bough/transfer';
import { resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { SKIPPED } from '../command.ts';
import { withExisting } from '../connect/existing.ts';
import { settingsOf, STORE_OPTIONS } from '../connect/index.ts';
import { withInputAsFile } from '../connect/input-file.ts';
import { deploymentsHere, importEnvelope, rehearsalEnvelope, withStore } from '../connect/store.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson } from '../terminal/index.ts';
import { showImport } from '../view/import-progress.ts';
import { reportText } from '../view/import-report.ts';
import { shortId } from '../view/short-id.ts';

/** What is known here about who made the replies of agents' sessions. */
function sessionOptions(
  deployments: readonly Deployment[],
  madeBy: string | undefined,
  wanted: { readonly provider?: string | undefined; readonly model?: string | undefined },
): Pick<ImportOptions, 'deployments' | 'madeBy' | 'isEnvelopeChosen'> {
  // An unknown one is an error now, and not a reply that nobody made later.
  if (madeBy !== undefined && !deployments.some(({ id }) => id === madeBy))
    throw new UnknownProviderError(
      madeBy,
      deployments.map(({ id }) => id),
    );
  const isEnvelopeChosen = wanted.provider !== undefined || wanted.model !== undefined;
  return { deployments, madeBy, isEnvelopeChosen };
}

async function follow(
  store: Store,
  path: string,
  options: Omit<FollowOptions, 'signal'>,
  input: Input,
  terminal: Terminal,
): Promise<ExitCode> {
  const isJson = input.flag('json');
  terminal.warn('Following. Ctrl-C ends it.\n');
  const report = await followPath(store, path, {
    ...options,
    signal: terminal.signal,
    onNews: (news) => {
      for (const { id, name, addedNodes } of news.projects)
        terminal.warn(`  ${shortId(id)}  ${excerpt(name, 50)}  (${addedNodes} node(s) added)\n`);
    },
  });
  if (isJson) printJson(terminal, report);
  else terminal.write(reportText(report, true));
  return report.problems.length > 0 ? SKIPPED : 0;
}

const fromPath: Command = {
  name: 'import',
  summary:
    'Import conversations (- is standard input): exports of ChatGPT, Claude and other chat programs, sessions of agents, data of Loom and ResearchTree, lists of messages, bundles.',
  positionals: [{ name: 'path' }],
  options: {
    'on-error': {
      description: 'a malformed record is skipped, or nothing at all is imported (default stop)',
      value: 'way',
      choices: ['skip', 'stop'],
    },
    'dry-run': { description: 'read and report, write nothing' },
    follow: {
      description: 'go on importing what agents write to their sessions, until Ctrl-C',
      without: ['dry-run', 'on-error'],
    },
    'made-by': {
      description: 'the provider that made the replies of a session, where it does not say so',
      value: 'id',
    },
    provider: { description: 'what imported branches go on with', value: 'id' },
    model: { description: 'the model that they go on with', value: 'id' },
    ...STORE_OPTIONS,
  },
  examples: [
    'bough import ~/Downloads/conversations.json',
    'bough import ~/.loom --dry-run',
    'bough import ./bundle --store files',
    'bough import ~/.claude/projects --dry-run',
  ],
  run: async (input, terminal) => {
    const path = resolve(terminal.cwd, input.required('path'));
    const dryRun = input.flag('dry-run');
    const onError = input.text('on-error') === 'skip' ? 'skip' : 'stop';
    const wanted = { provider: input.text('provider'), model: input.text('model') };
    const settings = settingsOf(input, terminal);
    const sessions = sessionOptions(deploymentsHere(settings, dryRun), input.text('made-by'), wanted);
    const work = async (reading: (options: ImportOptions) => Promise<ImportReport>, envelope: Envelope) => {
      const shown = showImport(terminal, { passes: dryRun || onError === 'skip' ? 1 : 2, dryRun });
      const report = await reading({
        envelope,
        onError,
        ...sessions,
        ...shown.options,
        files: createFileKeeper(settings.config.file.limits?.fileBytes),
        signal: terminal.signal,
      })
        .catch((error: unknown) => {
          if (!terminal.signal.aborted) throw error;
          return null;
        })
        .finally(shown.end);
      if (report === null) return shown.interrupted(input.flag('json'));
      if (input.flag('json')) printJson(terminal, report);
      else terminal.write(reportText(report, !dryRun));
      if (sessions.madeBy !== undefined && report.projects.some(({ outcome }) => outcome !== 'new'))
        terminal.warn(
          'Replies that were here already keep the maker that they came with: to name another one, delete the project and import it again.\n',
        );
      return report.problems.length > 0 ? SKIPPED : 0;
    };
    if (dryRun)
      return withExisting(input, terminal, settings, (existing) =>
        work((options) => rehearseImport(path, options, existing), rehearsalEnvelope(settings, wanted)),
      );
    if (input.flag('follow'))
      return withStore(input, terminal, async (store) => {
        const envelope = await importEnvelope(store, settings, wanted);
        const files = createFileKeeper(settings.config.file.limits?.fileBytes);
        return follow(store, path, { envelope, files, ...sessions }, input, terminal);
      });
    return withStore(input, terminal, async (store) =>
      work((options) => importPath(store, path, options), await importEnvelope(store, settings, wanted)),
    );
  },
};

/** `-` stands for what is given on standard input. */
export const importCommand: Command = {
  ...fromPath,
  run: (input, terminal) =>
    input.positional('path') === '-'
      ? withInputAsFile(terminal, (path) => fromPath.run(input.with('path', path), terminal))
      : fromPath.run(input, terminal),
};
