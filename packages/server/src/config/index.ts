import { BoughError } from '@bough/core';
import { z } from 'zod';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** A setting that cannot be used. Names the key, and says what it takes. */
export class SettingError extends BoughError {
  readonly key: string;

  constructor(key: string, problem: string, options?: { cause?: unknown }) {
    super('invalid_setting', `${key}: ${problem}`, options);
    this.key = key;
  }
}

const Approval = z.enum(['auto', 'ask', 'never']);
const McpServer = z.union([
  z
    .object({
      command: z.string().min(1),
      args: z.array(z.string()).optional(),
      env: z.record(z.string(), z.string()).optional(),
      cwd: z.string().optional(),
    })
    .strict(),
  z.object({ url: z.url(), headers: z.record(z.string(), z.string()).optional() }).strict(),
]);

/** `bough.config.json`. The `providers` section is read by the providers package, which knows what a deployment needs. */
const ConfigFile = z
  .object({
    $schema: z.string().optional(),
    providers: z.record(z.string(), z.unknown()).optional(),
    defaults: z
      .object({ provider: z.string().min(1), model: z.string().min(1).optional() })
      .strict()
      .optional(),
    mcpServers: z
      .record(z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'use letters, digits, - and _'), McpServer)
      .optional(),
    tools: z
      .object({
        approval: z.record(z.string(), Approval).optional(),
        timeoutMs: z.number().int().positive().optional(),
      })
      .strict()
      .optional(),
    limits: z
      .object({
        maxCallsPerTurn: z.number().int().min(1).max(1000).optional(),
        thinkingCapBytes: z.number().int().min(0).optional(),
        requestsPerMinute: z.number().int().min(1).optional(),
      })
      .strict()
      .optional(),
    keepRaw: z.boolean().optional(),
    database: z
      .object({
        poolSize: z.number().int().min(1).max(200).optional(),
        statementTimeoutMs: z.number().int().min(100).optional(),
      })
      .strict()
      .optional(),
  })
  .strict();

export type ConfigFile = z.infer<typeof ConfigFile>;

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly dataDir: string;
  readonly store: 'postgres' | 'git' | 'files';
  readonly databaseUrl: string | null;
  /** Where the page's files are; null where there is no page. */
  readonly webDir: string | null;
  readonly graceMs: number;
  readonly file: ConfigFile;
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Reads the environment and the configuration file. Throws `SettingError` for the first thing that cannot be used. */
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
  return {
    host,
    port: readPort(set(env, 'PORT')),
    token,
    dataDir: resolve(cwd, set(env, 'BOUGH_DATA_DIR') ?? join(homedir(), '.bough')),
    store: readStore(set(env, 'BOUGH_STORE')),
    databaseUrl: set(env, 'DATABASE_URL') ?? null,
    webDir: set(env, 'BOUGH_WEB_DIR') ?? null,
    graceMs: readGrace(set(env, 'BOUGH_GRACE_MS')),
    file: readConfigFile(set(env, 'BOUGH_CONFIG'), cwd),
  };
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

function readStore(value: string | undefined): Config['store'] {
  if (value === undefined) return 'postgres';
  if (value === 'postgres' || value === 'git' || value === 'files') return value;
  throw new SettingError('BOUGH_STORE', `"${value}" is not a store. Use postgres, git or files.`);
}

function readGrace(value: string | undefined): number {
  if (value === undefined) return 10_000;
  const milliseconds = Number(value);
  if (!Number.isInteger(milliseconds) || milliseconds < 0)
    throw new SettingError('BOUGH_GRACE_MS', `"${value}" is not a number of milliseconds.`);
  return milliseconds;
}

function readConfigFile(named: string | undefined, cwd: string): ConfigFile {
  const path = resolve(cwd, named ?? 'bough.config.json');
  if (!existsSync(path)) {
    if (named !== undefined) throw new SettingError('BOUGH_CONFIG', `there is no file ${path}.`);
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SettingError(path, 'is not valid JSON.', { cause });
  }
  const parsed = ConfigFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingError(`${path}: ${issue?.path.join('.') || '(top level)'}`, issue?.message ?? 'is not valid.');
}
