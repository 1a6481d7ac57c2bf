import type { WhichRounds } from '@bough/engine';
import { isIPv4 } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ChosenFile } from './choose.ts';
import { foreignStoreOf } from '../data-directory/foreign.ts';
import { chooseFile } from './choose.ts';
import type { PageFile } from './file.ts';
import { readPageFile } from './page-file.ts';
import { SettingError } from './setting-error.ts';

export { CONFIG_FILE, ignoredNotice } from './choose.ts';
export type { IgnoredFile } from './choose.ts';
export { consequencesOf, shown } from './consequences.ts';
export { parseConfigFile, placedServers } from './file.ts';
export type { ConfigFile, McpServerEntry, PageFile } from './file.ts';
export { openPageSettings, PAGE_FILE } from './page-file.ts';
export type { PageSettings } from './page-file.ts';
export { SettingError } from './setting-error.ts';
export { distrustFile, readTrusted, trustFile } from './trust.ts';
export type { TrustedFile } from './trust.ts';

export interface Config extends ChosenFile {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly dataDir: string;
  readonly store: 'postgres' | 'git' | 'files';
  readonly databaseUrl: string | null;
  /** The database server itself where `databaseUrl` names a pooler in front of it. */
  readonly databaseDirectUrl: string | null;
  /** Where the page's files are; null where there is no page. */
  readonly webDir: string | null;
  readonly graceMs: number;
  /** Milliseconds between the events of the simulated provider, so that a person can watch it think. */
  readonly simulatorPaceMs: number;
  /** Which rounds of question sets go on here. A command that only reads must not spend money on what was left. */
  readonly rounds: WhichRounds;
  /** What was set in the settings page; an entry that the file has as well is not used. */
  readonly page: PageFile;
  /** Whether deployments, tool servers and approval rules may be changed over the API. */
  readonly pageLocked: boolean;
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment and the configuration file. Throws `SettingError` for the first setting that cannot be used.
 */
export function readConfig(env: EnvironmentVariables, cwd: string): Config {
  const host = set(env, 'HOST') ?? '127.0.0.1';
  const token = set(env, 'BOUGH_TOKEN') ?? null;
  if (!isLoopback(host) && token === null) {
    throw new SettingError(
      'HOST',
      `"${host}" can be reached from other machines. Set BOUGH_TOKEN to a long random text as well, or use 127.0.0.1.`,
    );
  }
  if (token !== null && token.length < 16) throw new SettingError('BOUGH_TOKEN', 'must have at least 16 characters.');
  const dataDir = dataDirOf(env, cwd);
  return {
    host,
    port: readPort(set(env, 'PORT')),
    token,
    dataDir,
    store: readStore(set(env, 'BOUGH_STORE'), dataDir),
    databaseUrl: set(env, 'DATABASE_URL') ?? null,
    databaseDirectUrl: set(env, 'DATABASE_DIRECT_URL') ?? null,
    webDir: set(env, 'BOUGH_WEB_DIR') ?? null,
    graceMs: readMilliseconds(env, 'BOUGH_GRACE_MS', 10_000),
    simulatorPaceMs: readMilliseconds(env, 'BOUGH_SIMULATOR_PACE_MS', 12),
    rounds: 'all',
    page: readPageFile(dataDir),
    pageLocked: readLock(set(env, 'BOUGH_PAGE_SETTINGS')),
    ...chooseFile({ named: set(env, 'BOUGH_CONFIG'), cwd, dataDir }),
  };
}

export function dataDirOf(env: EnvironmentVariables, cwd: string): string {
  return resolve(cwd, set(env, 'BOUGH_DATA_DIR') ?? join(homedir(), '.bough'));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}

/** An empty variable counts as unset: that is how people switch one off. */
function set(env: EnvironmentVariables, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function readPort(value: string | undefined): number {
  if (value === undefined) return 4870;
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new SettingError('PORT', `"${value}" is not a port. Use a number from 0 to 65535.`);
  return port;
}

/** Data of Loom or ResearchTree is opened in place by naming its directory. */
function readStore(value: string | undefined, dataDir: string): Config['store'] {
  if (value === undefined) return foreignStoreOf(dataDir) ?? 'postgres';
  if (value === 'postgres' || value === 'git' || value === 'files') return value;
  throw new SettingError('BOUGH_STORE', `"${value}" is not a store. Use postgres, git or files.`);
}

function readLock(value: string | undefined): boolean {
  if (value === undefined || value === 'open') return false;
  if (value === 'locked') return true;
  throw new SettingError('BOUGH_PAGE_SETTINGS', `"${value}" is not known. Use open or locked.`);
}

function readMilliseconds(env: EnvironmentVariables, name: string, otherwise: number): number {
  const value = set(env, name);
  if (value === undefined) return otherwise;
  const milliseconds = Number(value);
  if (!Number.isInteger(milliseconds) || milliseconds < 0)
    throw new SettingError(name, `"${value}" is not a number of milliseconds.`);
  return milliseconds;
}
