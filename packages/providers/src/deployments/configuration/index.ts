import type { Availability, ProtocolId } from '@bough/core';
import { BoughError, isPlainObject } from '@bough/core';
import type { ThinkingFact } from '../../models/facts.ts';
import type { Price } from '../../models/model.ts';

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

/** What it says about one model; what is absent is looked up elsewhere. */
export interface ModelConfig {
  readonly id: string;
  readonly label?: string;
  /** Tokens of the context window; `contextWindow` says the same. */
  readonly window?: number;
  readonly contextWindow?: number;
  /** The most tokens of a reply; `maxOutputTokens` says the same. */
  readonly maxOutput?: number;
  readonly maxOutputTokens?: number;
  /** Whether it thinks, or the words that it takes for how much. */
  readonly thinking?: ThinkingFact;
  readonly canThink?: boolean;
  /** Whether its thinking is accepted back only after the same prefix. */
  readonly bound?: boolean;
  readonly vision?: boolean;
  readonly tools?: boolean;
  readonly canUseTools?: boolean;
  /** How much of its reasoning can be seen. */
  readonly reasoning?: Availability;
  readonly price?: Price;
  /** Quirks of this model alone, for servers that speak openai-chat. */
  readonly quirks?: Readonly<Record<string, unknown>>;
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

/** `true`, `false`, `"always"`, or the words that the model takes: efforts, levels or types of thinking. */
const readThinking: Read<ThinkingFact> = (value, key) => {
  if (value === true) return { when: 'on_request' };
  if (value === false) return { when: 'never' };
  if (value === 'always') return { when: 'always' };
  if (Array.isArray(value) && value.length > 0) {
    const how = value.map((word: unknown, index) => readText(word, `${key}.${index}`));
    return { when: how.some((word) => word === 'none' || word === 'disabled') ? 'on_request' : 'thinks', how };
  }
  throw new ConfigurationError(key, 'must be true, false, "always", or a list such as ["low", "high"].');
};
const AVAILABILITIES: readonly Availability[] = ['none', 'summary', 'full', 'redacted', 'partial'];
const readAvailability: Read<Availability> = (value, key) => {
  const known = AVAILABILITIES.find((name) => name === value);
  if (known === undefined) throw new ConfigurationError(key, `must be one of ${AVAILABILITIES.join(', ')}.`);
  return known;
};
const readDollars: Read<number> = (value, key) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new ConfigurationError(key, 'must be dollars per million tokens, at least 0.');
  }
  return value;
};
const PRICE_READERS: Readers<Price> = {
  input: readDollars,
  output: readDollars,
  cachedInput: readDollars,
  cacheWrite: readDollars,
  longCacheWrite: readDollars,
  asOf: readText,
};
const readPrice: Read<Price> = (value, key) => {
  const { input, output, asOf = 'the configuration', ...more } = readFields(value, key, PRICE_READERS);
  if (input === undefined) throw new ConfigurationError(`${key}.input`, 'is missing.');
  if (output === undefined) throw new ConfigurationError(`${key}.output`, 'is missing.');
  return { input, output, asOf, ...more };
};

const MODEL_READERS: Readers<ModelConfig> = {
  id: readText,
  label: readText,
  window: readCount,
  contextWindow: readCount,
  maxOutput: readCount,
  maxOutputTokens: readCount,
  thinking: readThinking,
  canThink: readFlag,
  bound: readFlag,
  vision: readFlag,
  tools: readFlag,
  canUseTools: readFlag,
  reasoning: readAvailability,
  price: readPrice,
  quirks: readObject,
};

/** Two names of the same fact: giving both would leave open which of them counts. */
const SAME: readonly (readonly [keyof ModelConfig, keyof ModelConfig])[] = [
  ['window', 'contextWindow'],
  ['maxOutput', 'maxOutputTokens'],
  ['thinking', 'canThink'],
  ['tools', 'canUseTools'],
];

const readModels: Read<readonly ModelConfig[]> = (value, key) => {
  if (!Array.isArray(value)) throw new ConfigurationError(key, 'must be a list of model names or objects with an id.');
  return value.map((entry: unknown, index): ModelConfig => {
    const path = `${key}.${index}`;
    if (typeof entry === 'string') return { id: readText(entry, path) };
    const { id, ...rest } = readFields(entry, path, MODEL_READERS);
    if (id === undefined) throw new ConfigurationError(`${path}.id`, 'is missing.');
    for (const [name, other] of SAME) {
      if (name in rest && other in rest) throw new ConfigurationError(`${path}.${other}`, `says the same as ${name}.`);
    }
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
