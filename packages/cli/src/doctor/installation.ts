import { BoughError } from '@bough/core';
import type { Config } from '@bough/server';
import { deploymentsOf, ignoredNotice, prepareDataDirectory, readTrusted, shown } from '@bough/server';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { findRunning, quietSettingsOf } from '../connect/index.ts';
import { opened } from '../connect/store.ts';
import { verifyWithRaw } from '../connect/verify.ts';
import type { Terminal } from '../terminal/index.ts';

export interface Check {
  readonly name: string;
  /** `not seen`: there was nothing to look at, or nobody could look. */
  readonly state: 'ok' | 'warning' | 'failed' | 'not seen';
  readonly detail: string;
}

const LOW_DISK_BYTES = 512 * 1024 * 1024;

/** Checks what Bough depends on, each item separately: a broken one does not hide the next. */
export async function checkInstallation(input: Input, terminal: Terminal): Promise<readonly Check[]> {
  const checks: Check[] = [nodeVersion()];
  let config: Config;
  try {
    const settings = quietSettingsOf(input, terminal);
    config = settings.config;
    deploymentsOf(config, settings.env);
    const from = config.filePath ?? 'no configuration file';
    const detail = `${config.store} store, ${config.host}:${config.port}, ${from}`;
    checks.push({ name: 'configuration', state: 'ok', detail }, trust(config));
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    return [...checks, { name: 'configuration', state: 'failed', detail: error.message }];
  }
  checks.push(directory(config.dataDir), await keyFile(config.dataDir), await disk(config.dataDir));
  const running = await findRunning(config.dataDir);
  if (running !== null && config.databaseUrl === null) {
    checks.push({
      name: 'store',
      state: 'not seen',
      detail: `${running.url} runs on it. Stop it to have the store verified.`,
    });
    return checks;
  }
  checks.push(await store(config));
  return checks;
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  const detail = fits ? process.versions.node : `${process.versions.node} is too old. Install 20.19 or newer.`;
  return { name: 'Node.js', state: fits ? 'ok' : 'failed', detail };
}

/** Configuration files of working directories: which are used, and whether there is one here that is not. */
function trust({ ignored, dataDir }: Config): Check {
  const name = 'trust';
  if (ignored !== null) return { name, state: 'warning', detail: ignoredNotice(ignored) };
  const trusted = readTrusted(dataDir).map(({ path }) => shown(path));
  const detail = trusted.length === 0 ? 'no file outside the data directory is trusted' : trusted.join(', ');
  return { name, state: 'ok', detail };
}

function directory(dataDir: string): Check {
  const name = 'data directory';
  try {
    prepareDataDirectory(dataDir);
    return { name, state: 'ok', detail: dataDir };
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    return { name, state: 'failed', detail: error.message };
  }
}

/** The key file seals the stored provider keys: anybody who can read both has them. */
async function keyFile(dataDir: string): Promise<Check> {
  const name = 'permissions';
  const found = await stat(join(dataDir, 'key')).catch(() => null);
  if (found === null) return { name, state: 'not seen', detail: 'no keys are stored yet' };
  const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  return open
    ? { name, state: 'warning', detail: `${join(dataDir, 'key')} can be read by others. Run chmod 600 on it.` }
    : { name, state: 'ok', detail: 'the key file is private' };
}

async function disk(dataDir: string): Promise<Check> {
  const name = 'disk';
  const found = await statfs(dataDir).catch(() => null);
  if (found === null) return { name, state: 'not seen', detail: 'The free space cannot be read.' };
  const free = found.bavail * found.bsize;
  const detail = `${Math.floor(free / 1024 / 1024)} MB free`;
  return { name, state: free < LOW_DISK_BYTES ? 'warning' : 'ok', detail };
}

async function store(config: Config): Promise<Check> {
  const name = 'store';
  try {
    const store = await opened({ config, env: {} });
    try {
      const { checked, findings } = await verifyWithRaw(store);
      const errors = findings.filter(({ severity }) => severity === 'error').length;
      const detail = `${checked.projects} project(s), ${checked.nodes} node(s), ${findings.length} finding(s)${findings.length > 0 ? '; see bough verify' : ''}`;
      return { name, state: errors > 0 ? 'failed' : findings.length > 0 ? 'warning' : 'ok', detail };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    return { name, state: 'failed', detail: error.message };
  }
}
