import type { ProjectId, ProtocolId } from '@bough/core';

/** What a client asks for. Everything that is no conversation and not about one is `other`, and passes. */
export type Operation = 'conversation' | 'count_tokens' | 'models' | 'other';

export interface Address {
  readonly provider: string;
  readonly project: ProjectId | null;
  /** The vendor's path, with a slash at its beginning and no query. */
  readonly path: string;
  /** The query without its question mark; empty where there is none. */
  readonly query: string;
}

/** What a path asks for, by itself. */
export interface Asked {
  readonly operation: Operation;
  /** Null if paths like it belong to no protocol, or to several. */
  readonly protocol: ProtocolId | null;
  readonly model: string | null;
  readonly streamed: boolean | null;
}

const PREFIX = '/gateway';

export function isGatewayPath(url: string): boolean {
  return url.startsWith(PREFIX) && /^(?:[/?]|$)/.test(url.slice(PREFIX.length));
}

/** Null if the address names no provider. */
export function readAddress(url: string): Address | null {
  const mark = url.indexOf('?');
  const whole = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const found = IN_PROJECT.exec(whole) ?? PLAIN.exec(whole);
  const { project, provider, path } = found?.groups ?? {};
  if (provider === undefined) return null;
  return {
    provider,
    project: project === undefined ? null : (project as ProjectId),
    path: path === undefined || path === '' ? '/' : path,
    query,
  };
}

const ID = '[A-Za-z0-9][A-Za-z0-9_.-]{0,99}';
const IN_PROJECT = new RegExp(`^${PREFIX}/in/(?<project>${ID})/(?<provider>${ID})(?<path>/.*)?$`);
const PLAIN = new RegExp(`^${PREFIX}/(?<provider>${ID})(?<path>/.*)?$`);

const OTHER: Asked = { operation: 'other', protocol: null, model: null, streamed: null };

/** Clients put a version in front of these, or have it in their base URL already. */
const POSTED: readonly (readonly [RegExp, Operation, ProtocolId])[] = [
  [/^(?:\/v1)?\/messages$/, 'conversation', 'anthropic-messages'],
  [/^(?:\/v1)?\/messages\/count_tokens$/, 'count_tokens', 'anthropic-messages'],
  [/^(?:\/v1)?\/responses$/, 'conversation', 'openai-responses'],
  [/^(?:\/v1)?\/responses\/input_tokens$/, 'count_tokens', 'openai-responses'],
  [/^(?:\/v1)?\/chat\/completions$/, 'conversation', 'openai-chat'],
];
const GEMINI = /^(?:\/v1(?:alpha|beta)?)?\/models\/([^/:]+):(\w+)$/;
const GEMINI_OPERATIONS: Readonly<Record<string, readonly [Operation, boolean | null]>> = {
  generateContent: ['conversation', false],
  streamGenerateContent: ['conversation', true],
  countTokens: ['count_tokens', null],
};
const MODELS = /^(?:\/v1(?:alpha|beta)?)?\/models(?:\/[^/:]+)?$/;

export function askedBy(method: string, path: string): Asked {
  if (method === 'GET' && MODELS.test(path)) return { ...OTHER, operation: 'models' };
  if (method !== 'POST') return OTHER;
  for (const [pattern, operation, protocol] of POSTED)
    if (pattern.test(path)) return { operation, protocol, model: null, streamed: null };
  const [, model, verb] = GEMINI.exec(path) ?? [];
  const [operation, streamed] = GEMINI_OPERATIONS[verb ?? ''] ?? [];
  if (model === undefined || operation === undefined || streamed === undefined) return OTHER;
  return { operation, protocol: 'gemini', model: decoded(model), streamed };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
