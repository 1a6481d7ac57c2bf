import { BoughError, isPlainObject } from '@bough/core';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings that people make at run time. Keys are encrypted; nothing here is ever returned by a route or written to a log. */
export interface StoredSettings {
  readonly keyOf: (provider: string) => string | null;
  readonly setKey: (provider: string, key: string | null) => void;
  readonly baseUrlOf: (provider: string) => string | null;
  readonly setBaseUrl: (provider: string, url: string | null) => void;
  readonly defaults: () => { readonly provider: string; readonly model: string } | null;
  readonly setDefaults: (defaults: { readonly provider: string; readonly model: string }) => void;
}

interface SettingsFile {
  keys: Record<string, string>;
  baseUrls: Record<string, string>;
  defaults: { provider: string; model: string } | null;
}

export class SettingsFileError extends BoughError {
  constructor(path: string, problem: string, options?: { cause?: unknown }) {
    super('settings_file', `${path}: ${problem}`, options);
  }
}

/** Keys are sealed with AES-256-GCM under a random key in a file of mode 0600, so that a copied settings file gives nothing away. */
export function openSettings(dataDir: string): StoredSettings {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = readSecret(join(dataDir, 'key'));
  const path = join(dataDir, 'settings.json');
  const settings = readSettings(path);
  const save = (): void => writePrivately(path, `${JSON.stringify(settings, null, 2)}\n`);
  return {
    keyOf: (provider) => {
      const sealed = settings.keys[provider];
      return sealed === undefined ? null : unseal(secret, provider, sealed, path);
    },
    setKey: (provider, key) => {
      if (key === null) delete settings.keys[provider];
      else settings.keys[provider] = seal(secret, provider, key);
      save();
    },
    baseUrlOf: (provider) => settings.baseUrls[provider] ?? null,
    setBaseUrl: (provider, url) => {
      if (url === null) delete settings.baseUrls[provider];
      else settings.baseUrls[provider] = url;
      save();
    },
    defaults: () => settings.defaults,
    setDefaults: (defaults) => {
      settings.defaults = { ...defaults };
      save();
    },
  };
}

function readSecret(path: string): Buffer {
  if (!existsSync(path)) writePrivately(path, randomBytes(32).toString('base64'));
  // A key file that others may read is mended at once; whoever read it before, has it.
  chmodSync(path, 0o600);
  const secret = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (secret.length !== 32)
    throw new SettingsFileError(
      path,
      'does not hold a key of 32 bytes. Move it away; stored provider keys must then be entered again.',
    );
  return secret;
}

function readSettings(path: string): SettingsFile {
  if (!existsSync(path)) return { keys: {}, baseUrls: {}, defaults: null };
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isPlainObject(value)) throw new Error('not an object');
    const { provider, model } = isPlainObject(value['defaults']) ? value['defaults'] : {};
    return {
      keys: strings(value['keys']),
      baseUrls: strings(value['baseUrls']),
      defaults: typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null,
    };
  } catch (cause) {
    throw new SettingsFileError(path, 'cannot be read as settings. Move it away and enter them again.', { cause });
  }
}

function strings(value: unknown): Record<string, string> {
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function writePrivately(path: string, content: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

/** The provider is part of what is authenticated: a key cannot be moved to another provider by editing the file. */
function seal(secret: Buffer, provider: string, key: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(provider));
  const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

function unseal(secret: Buffer, provider: string, sealed: string, path: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(Buffer.from(provider));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new SettingsFileError(path, `the key of "${provider}" was sealed with another key file. Enter it again.`, {
      cause,
    });
  }
}
