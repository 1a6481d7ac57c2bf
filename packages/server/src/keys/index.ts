import { BoughError, isPlainObject } from '@bough/core';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replacePrivately, writePrivately } from '../data-directory/write-privately.ts';
import { seal, unseal } from './seal.ts';

export type StoredKey =
  | { readonly state: 'none' | 'unreadable' }
  | { readonly state: 'readable'; readonly key: string; readonly origin: string | null };

/**
 * Settings that people change at run time. Keys are encrypted; nothing here is ever returned by a route or written to a
 * log.
 */
export interface StoredSettings {
  /** Never throws: an unreadable key affects only its provider. */
  readonly keyOf: (provider: string) => StoredKey;
  /** The key is sent to this origin and to no other. */
  readonly setKey: (provider: string, key: string, origin: string) => void;
  readonly deleteKey: (provider: string) => void;
  /** Gives a key that was stored without an origin the one that it is in use for. */
  readonly addressKey: (provider: string, origin: string) => void;
  readonly baseUrlOf: (provider: string) => string | null;
  readonly setBaseUrl: (provider: string, url: string | null) => void;
  /** What versions before 0.7 stored here. Today it lies with the data, where every server finds it. */
  readonly defaults: () => { readonly provider: string; readonly model: string } | null;
  /** Whether a browser's session was ended early, by the hash of its id. */
  readonly isEnded: (session: string) => boolean;
  readonly endSession: (session: string, expires: number) => void;
}

interface Settings {
  readonly keys: ReadonlyMap<string, string>;
  readonly baseUrls: ReadonlyMap<string, string>;
  readonly defaults: { readonly provider: string; readonly model: string } | null;
  /** When each would have expired, in milliseconds: it need not be remembered longer. */
  readonly endedSessions: ReadonlyMap<string, number>;
}

export class SettingsFileError extends BoughError {
  constructor(path: string, problem: string, options?: { cause?: unknown }) {
    super('settings_file', `${path}: ${problem}`, options);
  }
}

/** Keys are sealed under a random key in a file of mode 0600, so that a copied settings file reveals nothing. */
export function openSettings(dataDir: string, now: () => number = Date.now): StoredSettings {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = readSecret(join(dataDir, 'key'));
  const path = join(dataDir, 'settings.json');
  let settings = readSettings(path);
  const change = (changed: Partial<Settings>): void => {
    const next = { ...settings, ...changed };
    save(path, next);
    settings = next;
  };
  return {
    keyOf: (provider) => {
      const sealed = settings.keys.get(provider);
      if (sealed === undefined) return { state: 'none' };
      const opened = unseal(secret, provider, sealed);
      return opened === null ? { state: 'unreadable' } : { state: 'readable', ...opened };
    },
    setKey: (provider, key, origin) =>
      change({ keys: withEntry(settings.keys, provider, seal(secret, provider, key, origin)) }),
    deleteKey: (provider) => change({ keys: withEntry(settings.keys, provider, null) }),
    addressKey: (provider, origin) => {
      const opened = unseal(secret, provider, settings.keys.get(provider) ?? '');
      if (opened === null || opened.origin !== null) return;
      // In memory only; it reaches the file with the next change, so that a command that only reads writes nothing.
      const sealed = seal(secret, provider, opened.key, origin);
      settings = { ...settings, keys: withEntry(settings.keys, provider, sealed) };
    },
    baseUrlOf: (provider) => settings.baseUrls.get(provider) ?? null,
    setBaseUrl: (provider, url) => change({ baseUrls: withEntry(settings.baseUrls, provider, url) }),
    defaults: () => settings.defaults,
    isEnded: (session) => settings.endedSessions.has(session),
    endSession: (session, expires) => {
      const current = [...settings.endedSessions].filter(([, until]) => until > now());
      change({ endedSessions: new Map([...current, [session, expires]]) });
    },
  };
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, name: string, value: Value | null): Map<string, Value> {
  const changed = new Map(map);
  if (value === null) changed.delete(name);
  else changed.set(name, value);
  return changed;
}

function readSecret(path: string): Buffer {
  if (!existsSync(path)) replacePrivately(path, randomBytes(32).toString('base64'));
  // A key file that others may read is fixed at once; anybody who read it before still has the key.
  chmodSync(path, 0o600);
  const secret = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (secret.length !== 32)
    throw new SettingsFileError(
      path,
      'does not hold a key of 32 bytes. Move it away; stored provider keys must then be entered again.',
    );
  return secret;
}

function readSettings(path: string): Settings {
  if (!existsSync(path)) return { keys: new Map(), baseUrls: new Map(), defaults: null, endedSessions: new Map() };
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isPlainObject(value)) throw new Error('not an object');
    const { provider, model } = isPlainObject(value['defaults']) ? value['defaults'] : {};
    return {
      keys: entries(value['keys'], text),
      baseUrls: entries(value['baseUrls'], address),
      defaults: typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null,
      endedSessions: entries(value['endedSessions'], (entry) => (typeof entry === 'number' ? entry : null)),
    };
  } catch (cause) {
    throw new SettingsFileError(path, 'cannot be read as settings. Move it away and enter them again.', { cause });
  }
}

function entries<Value>(value: unknown, read: (entry: unknown) => Value | null): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const [name, entry] of Object.entries(isPlainObject(value) ? value : {})) {
    const known = read(entry);
    if (known !== null) found.set(name, known);
  }
  return found;
}

const text = (entry: unknown): string | null => (typeof entry === 'string' ? entry : null);

/**
 * Versions before 0.2 accepted addresses with a user and a password. An address is shown everywhere, so they are left
 * out.
 */
function address(entry: unknown): string | null {
  if (typeof entry !== 'string' || !URL.canParse(entry)) return null;
  const url = new URL(entry);
  if (url.username === '' && url.password === '') return entry;
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

function save(path: string, { keys, baseUrls, defaults, endedSessions }: Settings): void {
  const file = {
    keys: Object.fromEntries(keys),
    baseUrls: Object.fromEntries(baseUrls),
    defaults,
    endedSessions: Object.fromEntries(endedSessions),
  };
  writePrivately(path, `${JSON.stringify(file, null, 2)}\n`);
}
