import type { ProtocolId } from '@bough/core';
import { BoughError, isPlainObject } from '@bough/core';

/** What `bough.config.json` says about one provider. */
export interface ProviderConfig {
  readonly label?: string;
  readonly protocol?: ProtocolId;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly models?: readonly ModelConfig[];
  readonly defaultModel?: string;
  readonly quirks?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ModelConfig {
  readonly id: string;
  readonly label?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly canThink?: boolean;
  readonly canUseTools?: boolean;
}

/** An invalid configuration. `key` is the path of what is wrong, such as `providers.lab.baseUrl`. */
export class ConfigurationError extends BoughError {
  readonly key: string;

  constructor(key: string, problem: string) {
    super('invalid_configuration', `${key}: ${problem}`);
    this.key = key;
  }
}

type Read<T> = (value: unknown, key: string) => T;

const readText: Read<string> = (value, key) => {
  if (typeof value !== 'string' || value.trim() === '')
    throw new ConfigurationError(key, 'must be a non-empty string.');
  return value.trim();
};
const readCount: Read<number> = (value, key) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new ConfigurationError(key, 'must be a whole number of tokens, at least 1.');
  }
  return value;
};
const readFlag: Read<boolean> = (value, key) => {
  if (typeof value !== 'boolean') throw new ConfigurationError(key, 'must be true or false.');
  return value;
};
const readObject: Read<Readonly<Record<string, unknown>>> = (value, key) => {
  if (!isPlainObject(value)) throw new ConfigurationError(key, 'must be an object.');
  return value;
};

const PROTOCOLS: readonly ProtocolId[] = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'];
const readProtocol: Read<ProtocolId> = (value, key) => {
  const protocol = PROTOCOLS.find((id) => id === value);
  if (protocol === undefined) throw new ConfigurationError(key, `must be one of ${PROTOCOLS.join(', ')}.`);
  return protocol;
};

/** A base URL must not hold a secret: it is shown, logged, and part of every issuer. */
export const readBaseUrl: Read<string> = (value, key) => {
  const text = readText(value, key);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(key, 'must be a URL that starts with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError(
      key,
      'must hold no user, password or query; name the variable of the key in apiKeyEnv.',
    );
  }
  return text.replace(/\/+$/, '');
};

const readHeaders: Read<Readonly<Record<string, string>>> = (value, key) =>
  Object.fromEntries(
    Object.entries(readObject(value, key)).map(([name, text]) => [name, readText(text, `${key}.${name}`)]),
  );

const MODEL_READERS: Readers<ModelConfig> = {
  id: readText,
  label: readText,
  contextWindow: readCount,
  maxOutputTokens: readCount,
  canThink: readFlag,
  canUseTools: readFlag,
};

const readModels: Read<readonly ModelConfig[]> = (value, key) => {
  if (!Array.isArray(value)) throw new ConfigurationError(key, 'must be a list of model names or objects with an id.');
  return value.map((entry: unknown, index): ModelConfig => {
    const path = `${key}.${index}`;
    if (typeof entry === 'string') return { id: readText(entry, path) };
    const { id, ...rest } = readFields(entry, path, MODEL_READERS);
    if (id === undefined) throw new ConfigurationError(`${path}.id`, 'is missing.');
    return { id, ...rest };
  });
};

const PROVIDER_READERS: Readers<ProviderConfig> = {
  label: readText,
  protocol: readProtocol,
  baseUrl: readBaseUrl,
  apiKeyEnv: readText,
  models: readModels,
  defaultModel: readText,
  quirks: readObject,
  headers: readHeaders,
};

type Readers<T> = { readonly [Key in keyof T]-?: Read<Exclude<T[Key], undefined>> };

/**
 * The `providers` section. Every error names its key; an unknown key is an error, because a misspelt one would have no
 * effect.
 */
export function readProviderConfigs(section: unknown): ReadonlyMap<string, ProviderConfig> {
  if (section === undefined) return new Map();
  return new Map(
    Object.entries(readObject(section, 'providers')).map(([id, value]) => {
      const key = `providers.${id}`;
      if (!/^[a-z0-9][\w.-]*$/i.test(id))
        throw new ConfigurationError(key, 'a provider id has letters, digits, ".", "_" and "-".');
      return [id, readFields(value, key, PROVIDER_READERS)];
    }),
  );
}

function readFields<T extends object>(value: unknown, key: string, readers: Readers<T>): Partial<T> {
  const fields = Object.entries(readObject(value, key)).map(([name, field]) => {
    const path = `${key}.${name}`;
    const reader = Object.entries<Read<unknown>>(readers).find(([known]) => known === name)?.[1];
    if (reader === undefined) {
      throw new ConfigurationError(path, `is not known. Known: ${Object.keys(readers).join(', ')}.`);
    }
    return [name, reader(field, path)];
  });
  return Object.fromEntries(fields) as Partial<T>;
}
