import type { DeploymentInput, DeploymentListView, DeploymentView, ProviderView } from '@bough/api';
import { isPlainObject } from '@bough/core';
import type { DeploymentRegistry } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, ConfigurationError, UnknownProviderError } from '@bough/providers';
import type { Config, EnvironmentVariables, PageFile, PageSettings } from '../config/index.ts';
import type { StoredSettings } from '../keys/index.ts';
import { HttpProblem } from '../problem.ts';
import { deploymentsOf, isSimulated } from '../providers/deployments.ts';
import { compact, hidden, sameOrigin, withKept, without } from './kept-values.ts';
import { invalidField, requireOpen, setInFile } from './refusals.ts';

export interface DeploymentSettings {
  /** Every deployment as it is now. A request that is under way keeps the one that it began with. */
  readonly registry: () => DeploymentRegistry;
  readonly fromOf: (id: string) => ProviderView['from'];
  readonly list: () => DeploymentListView;
  readonly set: (id: string, draft: DeploymentInput) => DeploymentView;
  readonly remove: (id: string) => void;
}

export interface DeploymentSources {
  readonly config: Config;
  readonly env: EnvironmentVariables;
  readonly simulatorUrl: string;
  readonly page: PageSettings;
  readonly settings: StoredSettings;
}

type Entries = Readonly<Record<string, unknown>>;

/** The deployments of the configuration file and of the settings page: the file decides where both have one. */
export function createDeploymentSettings(sources: DeploymentSources): DeploymentSettings {
  const { config, env, simulatorUrl, page, settings } = sources;
  const read = (file: PageFile): DeploymentRegistry => deploymentsOf({ ...config, page: file }, env, simulatorUrl);
  let registry = read(page.current());
  const inFile: Entries = config.file.providers ?? {};
  const inPage = (): Entries => page.current().providers ?? {};

  const viewOf = (id: string, entry: unknown, from: DeploymentView['from']): DeploymentView => ({
    id,
    from,
    alsoInPage: from === 'file' && Object.hasOwn(inPage(), id),
    entry: shown(entry),
  });
  const write = (edit: (entries: Entries) => Entries): void => {
    const next = (file: PageFile): PageFile => ({ ...file, providers: { ...edit(file.providers ?? {}) } });
    const nextRegistry = read(next(page.current()));
    page.change(next);
    registry = nextRegistry;
  };

  return {
    registry: () => registry,
    fromOf: (id) => (Object.hasOwn(inFile, id) ? 'file' : Object.hasOwn(inPage(), id) ? 'page' : 'built_in'),
    list: () => ({
      file: config.filePath,
      pageFile: page.path,
      locked: config.pageLocked,
      deployments: [
        ...Object.entries(inFile).map(([id, entry]) => viewOf(id, entry, 'file')),
        ...Object.entries(inPage()).flatMap(([id, entry]) =>
          Object.hasOwn(inFile, id) ? [] : [viewOf(id, entry, 'page')],
        ),
      ],
    }),
    set: (id, draft) => {
      requireOpen(config);
      refuseBuiltIn(id);
      if (Object.hasOwn(inFile, id)) throw setInFile(`"${id}"`, config);
      const before = inPage()[id];
      const entry = entryOf(draft, isPlainObject(before) ? before : {});
      try {
        write((entries) => ({ ...entries, [id]: entry }));
      } catch (error) {
        throw error instanceof ConfigurationError ? asField(error, id) : error;
      }
      // An address that was set for the old entry would hide the new one's.
      if (settings.baseUrlOf(id) !== null) settings.setBaseUrl(id, null);
      return viewOf(id, entry, 'page');
    },
    remove: (id) => {
      requireOpen(config);
      if (!Object.hasOwn(inPage(), id)) {
        if (Object.hasOwn(inFile, id)) throw setInFile(`"${id}"`, config);
        refuseBuiltIn(id);
        throw new UnknownProviderError(id, Object.keys(inPage()));
      }
      const isOnly = !Object.hasOwn(inFile, id);
      if (isOnly && config.file.defaults?.provider === id) {
        const detail = `${config.filePath} names "${id}" as the default of new projects. Change that first.`;
        throw new HttpProblem(409, 'in_use', detail);
      }
      write((entries) => without(entries, id));
      if (!isOnly) return;
      // A key must not wait for whoever takes the name next.
      settings.deleteKey(id);
      settings.setBaseUrl(id, null);
    },
  };
}

/** A variable cannot be named here: whoever may call the API could have any secret of ours sent to any address. */
function entryOf(draft: DeploymentInput, before: Entries): Entries {
  const { headers, ...rest } = draft;
  const stored = isPlainObject(before['headers']) ? before['headers'] : undefined;
  const oldUrl = typeof before['baseUrl'] === 'string' ? before['baseUrl'] : undefined;
  const isElsewhere = !sameOrigin(draft.baseUrl ?? '', oldUrl);
  return compact({ ...rest, headers: withKept('headers', headers, stored, isElsewhere) });
}

function refuseBuiltIn(id: string): void {
  if (!isSimulated(id) && !BUILT_IN_DEPLOYMENTS.some((deployment) => deployment.id === id)) return;
  const detail = `"${id}" is built in. Choose another name, or change it in the configuration file.`;
  throw new HttpProblem(409, 'built_in', detail, { field: 'id' });
}

function asField({ key, message }: ConfigurationError, id: string): HttpProblem {
  const prefix = `providers.${id}`;
  const field = key === prefix ? 'id' : key.slice(prefix.length + 1);
  return invalidField(field, message.slice(key.length + 2));
}

function shown(entry: unknown): Record<string, unknown> {
  if (!isPlainObject(entry)) return {};
  return { ...entry, ...(isPlainObject(entry['headers']) ? { headers: hidden(entry['headers']) } : {}) };
}
