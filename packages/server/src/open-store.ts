import type { Store } from '@bough/store';
import { keepPrivate, openFilesStore, openGitStore, openPostgresStore } from '@bough/store';
import { join } from 'node:path';
import type { Config } from './config/index.ts';
import { prepareDataDirectory } from './data-directory/index.ts';

/** The only place that chooses a back end. */
export async function openStore({ store, databaseUrl, dataDir, file }: Config): Promise<Store> {
  if (store !== 'postgres' || databaseUrl === null) prepareDataDirectory(dataDir);
  await keepPrivate(dataDir);
  const { provider, model } = file.defaults ?? {};
  // What a branch of other programs is locked to where they do not say it.
  const defaults =
    provider === undefined || model === undefined
      ? {}
      : { defaults: { provider, model, systemPrompt: null, tools: [], thinking: 'off' as const } };
  switch (store) {
    case 'git':
      return openGitStore({ directory: join(dataDir, 'projects'), ...defaults });
    case 'files':
      return openFilesStore({ directory: join(dataDir, 'files'), ...defaults });
    case 'postgres': {
      const settings = definedOf(file.database ?? {});
      return openPostgresStore(databaseUrl === null ? { ...settings, dataDir } : { ...settings, url: databaseUrl });
    }
  }
}

function definedOf(settings: { poolSize?: number | undefined; statementTimeoutMs?: number | undefined }): {
  poolSize?: number;
  statementTimeoutMs?: number;
} {
  return {
    ...(settings.poolSize === undefined ? {} : { poolSize: settings.poolSize }),
    ...(settings.statementTimeoutMs === undefined ? {} : { statementTimeoutMs: settings.statementTimeoutMs }),
  };
}
