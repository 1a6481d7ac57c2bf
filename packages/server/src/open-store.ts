import type { PostgresSettings, Store } from '@bough/store';
import { keepPrivate, openFilesStore, openGitStore, openPostgresStore } from '@bough/store';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile } from './config/file.ts';
import type { Config } from './config/index.ts';
import { storeDirectoryOf } from './data-directory/foreign.ts';
import { prepareDataDirectory } from './data-directory/index.ts';

export async function openStore(config: Config): Promise<Store> {
  if (config.store !== 'postgres' || config.databaseUrl === null) prepareDataDirectory(config.dataDir);
  await keepPrivate(config.dataDir);
  return opened(config, true);
}

/** For a rehearsal: a store that does not exist is not made, and none is brought up to date. */
export async function openExistingStore(config: Config): Promise<Store | null> {
  const { store, databaseUrl, dataDir } = config;
  const place = store === 'postgres' ? join(dataDir, 'postgres') : storeDirectoryOf(dataDir, store);
  const isElsewhere = store === 'postgres' && databaseUrl !== null;
  return isElsewhere || existsSync(place) ? opened(config, false) : null;
}

/** The only place that chooses a back end. */
async function opened(
  { store, databaseUrl, databaseDirectUrl, dataDir, file }: Config,
  migrate: boolean,
): Promise<Store> {
  const { provider, model } = file.defaults ?? {};
  // What a branch of other programs is locked to where they do not say it.
  const defaults =
    provider === undefined || model === undefined
      ? {}
      : { defaults: { provider, model, systemPrompt: null, tools: [], thinking: 'off' as const } };
  switch (store) {
    case 'git':
      return openGitStore({ directory: storeDirectoryOf(dataDir, store), ...defaults });
    case 'files':
      return openFilesStore({ directory: storeDirectoryOf(dataDir, store), ...defaults });
    case 'postgres': {
      const settings = { ...definedOf(file.database ?? {}), migrate };
      if (databaseUrl === null) return openPostgresStore({ ...settings, dataDir });
      const direct = databaseDirectUrl === null ? {} : { directUrl: databaseDirectUrl };
      return openPostgresStore({ ...settings, ...direct, url: databaseUrl });
    }
  }
}

function definedOf({ poolSize, statementTimeoutMs, pooled }: NonNullable<ConfigFile['database']>): PostgresSettings {
  return {
    ...(poolSize === undefined ? {} : { poolSize }),
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
    ...(pooled === undefined ? {} : { isPooled: pooled }),
  };
}
