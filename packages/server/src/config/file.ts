import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { SettingError } from './setting-error.ts';

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

/** For requests, logs and file names: one line of well-formed text. */
const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must hold no control characters and no halves of characters');

/**
 * `bough.config.json`. The `providers` section is read by the providers package, which knows what a deployment needs.
 */
const ConfigFile = z
  .object({
    $schema: z.string().optional(),
    providers: z.record(z.string(), z.unknown()).optional(),
    defaults: z.object({ provider: Name, model: Name.optional() }).strict().optional(),
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
type McpServer = NonNullable<ConfigFile['mcpServers']>[string];

/** The content of a configuration file, with paths resolved against the file's directory. */
export function parseConfigFile(path: string, bytes: Buffer): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new SettingError(path, 'is not valid JSON.', { cause });
  }
  const parsed = ConfigFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SettingError(`${path}: ${issue?.path.join('.') || '(top level)'}`, issue?.message ?? 'is not valid.');
  }
  const { mcpServers, ...rest } = parsed.data;
  if (mcpServers === undefined) return rest;
  const place = dirname(path);
  const placed = Object.entries(mcpServers).map(([name, server]) => [name, placedIn(place, server)] as const);
  return { ...rest, mcpServers: Object.fromEntries(placed) };
}

/** Where Bough was started does not matter: the same file means the same programs everywhere. */
function placedIn(place: string, server: McpServer): McpServer {
  if ('url' in server) return server;
  const { command, args, cwd } = server;
  return {
    ...server,
    // A bare name is looked for in PATH, as in a shell.
    command: /[/\\]/.test(command) || command === '~' ? resolve(place, atHome(command)) : command,
    cwd: resolve(place, atHome(cwd ?? '.')),
    ...(args === undefined ? {} : { args: args.map(atHome) }),
  };
}

function atHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
}
