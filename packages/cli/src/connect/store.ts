import type { Envelope } from '@bough/core';
import type { Deployment } from '@bough/providers';
import { createProviderSet, deploymentsOf, lockIn, openSettings, openStore } from '@bough/server';
import type { Store } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { ExitCode } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { findRunning } from './running.ts';
import type { Settings } from './settings.ts';
import { settingsOf } from './settings.ts';

/** Opens the store itself, for what no route does: whole projects in and out, and checks. Always closes it. */
export async function withStore<Result extends ExitCode>(
  input: Input,
  terminal: Terminal,
  work: (store: Store, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const settings = settingsOf(input, terminal);
  await requireNamed(settings);
  const store = await opened(settings);
  try {
    return await work(store, settings);
  } finally {
    await store.close();
  }
}

/** Who says nothing means the data that the running server has, and not an empty store beside it. */
async function requireNamed({ config, env }: Settings): Promise<void> {
  if ((env['BOUGH_STORE'] ?? '') !== '') return;
  const { url, store = config.store } = (await findRunning(config.dataDir)) ?? {};
  if (store !== config.store)
    throw new UsageError(`The server at ${url} keeps this data as ${store}. Say --store ${store}.`);
}

export async function opened({ config }: Settings): Promise<Store> {
  try {
    return await openStore(config);
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'store_locked') throw error;
    throw new ConflictError(
      'store_locked',
      `${error.message} Stop the server that runs on it, then try again.`,
      error.conflicting,
    );
  }
}

/** What an imported branch is locked to: what was requested, otherwise what a new project would start with. */
export async function importEnvelope(
  store: Store,
  { config, env }: Settings,
  wanted: { readonly provider?: string | undefined; readonly model?: string | undefined },
): Promise<Envelope> {
  const registry = deploymentsOf(config, env);
  const chosen = lockIn((await store.getDocument('defaults'))?.value);
  const defaults = createProviderSet(() => registry, openSettings(config.dataDir), config.file.defaults).defaults(
    chosen,
  );
  const provider = wanted.provider ?? defaults.provider;
  const own = provider === defaults.provider ? defaults.model : registry.byId(provider).defaultModel;
  return { provider, model: wanted.model ?? own, systemPrompt: null, tools: [], thinking: 'medium' };
}

/**
 * What can be called here: it may have made the replies of a session. Addresses that were set on the page count too; a
 * rehearsal reads no settings, because reading them would make them.
 */
export function deploymentsHere({ config, env }: Settings, isRehearsal: boolean): readonly Deployment[] {
  const registry = deploymentsOf(config, env);
  if (isRehearsal) return registry.all;
  const settings = openSettings(config.dataDir);
  return createProviderSet(() => registry, settings, config.file.defaults)
    .list()
    .map(({ deployment }) => deployment);
}

/**
 * For a rehearsal, which makes no branch: the request is checked, and no settings are created in the data directory.
 */
export function rehearsalEnvelope(
  { config, env }: Settings,
  wanted: { readonly provider?: string | undefined; readonly model?: string | undefined },
): Envelope {
  const registry = deploymentsOf(config, env);
  const { id, defaultModel } = registry.byId(wanted.provider ?? 'simulated');
  return { provider: id, model: wanted.model ?? defaultModel, systemPrompt: null, tools: [], thinking: 'medium' };
}
