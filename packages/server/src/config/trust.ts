import { isPlainObject } from '@bough/core';
import { createHash } from 'node:crypto';
import { realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDataDirectory } from '../data-directory/index.ts';
import type { ConfigFile } from './file.ts';
import { parseConfigFile } from './file.ts';
import { readOwnFile, readSmallFile } from './read-file.ts';
import { SettingError } from './setting-error.ts';

/** A configuration file that somebody reviewed and wants to be used where it is, as long as it stays unchanged. */
export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
}

export type TrustState = 'trusted' | 'changed' | 'unknown';

const listIn = (dataDir: string): string => join(dataDir, 'trusted.json');

export function readTrusted(dataDir: string): readonly TrustedFile[] {
  const path = listIn(dataDir);
  const bytes = readOwnFile(path);
  if (bytes === null) return [];
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (Array.isArray(value) && value.every(isTrustedFile)) return value;
  } catch (cause) {
    throw new SettingError(path, 'is not valid JSON. Remove it, and trust the files in it again.', { cause });
  }
  throw new SettingError(path, 'is not a list of trusted files. Remove it, and trust the files in it again.');
}

export function trustStateOf(dataDir: string, path: string, bytes: Buffer): TrustState {
  const known = readTrusted(dataDir).find((file) => file.path === nameOf(path));
  if (known === undefined) return 'unknown';
  return known.sha256 === hashOf(bytes) ? 'trusted' : 'changed';
}

/** Remembers a file by its path and content. One that cannot be used is refused now instead of at the next start. */
export function trustFile(dataDir: string, path: string): TrustedFile & { readonly file: ConfigFile } {
  const bytes = readSmallFile(path);
  if (bytes === null) throw new SettingError(path, 'there is no such file.');
  const file = parseConfigFile(path, bytes);
  const trusted = { path: nameOf(path), sha256: hashOf(bytes) };
  write(dataDir, [...readTrusted(dataDir).filter((known) => known.path !== trusted.path), trusted]);
  return { ...trusted, file };
}

/** False where the file was not trusted. */
export function distrustFile(dataDir: string, path: string): boolean {
  const before = readTrusted(dataDir);
  const after = before.filter((file) => file.path !== path && file.path !== nameOf(path));
  if (after.length === before.length) return false;
  write(dataDir, after);
  return true;
}

function write(dataDir: string, files: readonly TrustedFile[]): void {
  prepareDataDirectory(dataDir);
  const draft = `${listIn(dataDir)}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(files, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, listIn(dataDir));
}

/** One name per file, however it was reached; for a missing file, the name that was given. */
function nameOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isTrustedFile(value: unknown): value is TrustedFile {
  return isPlainObject(value) && typeof value['path'] === 'string' && typeof value['sha256'] === 'string';
}
