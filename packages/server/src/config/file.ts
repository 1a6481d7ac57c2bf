import { schemas } from '@bough/api';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isSecretName } from '@bough/providers';
import { z } from 'zod';
import { SettingError } from './setting-error.ts';

/** For requests, logs and file names: one line of well-formed text. */
const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must hold no control characters and no halves of characters');

const GatewayMode = z.enum(['record', 'repair']);

/** How other clients' conversations are passed on. */
const Gateway = z
  .object({
    mode: GatewayMode.optional(),
    whenStoreFails: z.enum(['pass', 'refuse']).optional(),
    routes: z
      .array(
        z
          .object({
            from: Name,
            /** `*` stands for any characters. */
            model: Name,
            to: z.object({ provider: Name, model: Name, thinking: schemas.ThinkingSetting.optional() }).strict(),
          })
          .strict(),
      )
      .max(100)
      .optional(),
    projects: z.record(Name, z.object({ mode: GatewayMode }).strict()).optional(),
  })
  .strict();

/**
 * `bough.config.json`. The `providers` section is read by the providers package, which knows what a deployment needs.
 */
export const ConfigFile = z
  .object({
    $schema: z.string().optional(),
    providers: z.record(z.string(), z.unknown()).optional(),
    defaults: z.object({ provider: Name, model: Name.optional() }).strict().optional(),
    mcpServers: z
      .record(z.string().regex(schemas.MCP_SERVER_NAME, 'use letters, digits, - and _'), schemas.McpServerEntry)
      .optional(),
    tools: z
      .object({
        approval: z.record(z.string(), schemas.ApprovalPolicy).optional(),
        timeoutMs: z.number().int().positive().optional(),
      })
      .strict()
      .optional(),
    limits: z
      .object({
        maxCallsPerTurn: z.number().int().min(1).max(1000).optional(),
        thinkingCapBytes: z.number().int().min(0).optional(),
        fileBytes: z.number().int().min(1).optional(),
        requestsPerMinute: z.number().int().min(1).optional(),
        importMaxBytes: z.number().int().min(1).optional(),
      })
      .strict()
      .optional(),
    secrets: z
      .record(
        z.string().refine(isSecretName, 'use letters, digits, - and _, at most 40'),
        z.object({ for: z.url({ protocol: /^https$/ }).max(2_000), env: z.string().min(1).max(200) }).strict(),
      )
      .optional(),
    keepRaw: z.boolean().optional(),
    gateway: Gateway.optional(),
    budgets: z.record(schemas.BudgetName, schemas.BudgetEntry).optional(),
    database: z
      .object({
        poolSize: z.number().int().min(1).max(200).optional(),
        statementTimeoutMs: z.number().int().min(100).optional(),
        pooled: z.boolean().optional(),
      })
      .strict()
      .optional(),
  })
  .strict();

export type ConfigFile = z.infer<typeof ConfigFile>;
export type McpServerEntry = NonNullable<ConfigFile['mcpServers']>[string];

/** The content of a configuration file, with paths resolved against the file's directory. */
export function parseConfigFile(path: string, bytes: Buffer): ConfigFile {
  const { mcpServers, ...rest } = parseAs(ConfigFile, path, bytes);
  return mcpServers === undefined ? rest : { ...rest, mcpServers: placedServers(path, mcpServers) };
}

/** What the settings page keeps: the sections of a configuration file that can be changed there. */
const PageFile = ConfigFile.pick({ $schema: true, providers: true, mcpServers: true, budgets: true })
  .extend({
    tools: z
      .object({ approval: z.record(z.string(), schemas.ApprovalPolicy).optional() })
      .strict()
      .optional(),
  })
  .strict();
export type PageFile = z.infer<typeof PageFile>;

/** As it was written: the page shows paths as somebody entered them. */
export const parsePageFile = (path: string, bytes: Buffer): PageFile => parseAs(PageFile, path, bytes);

function parseAs<Schema extends z.ZodType>(schema: Schema, path: string, bytes: Buffer): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new SettingError(path, 'is not valid JSON.', { cause });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SettingError(`${path}: ${issue?.path.join('.') || '(top level)'}`, issue?.message ?? 'is not valid.');
  }
  return parsed.data;
}

/** The servers of a file with their paths resolved against its directory. */
export function placedServers(
  path: string,
  servers: Readonly<Record<string, McpServerEntry>>,
): Record<string, McpServerEntry> {
  const place = dirname(path);
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, placedIn(place, server)]));
}

/** Where Bough was started does not matter: the same file means the same programs everywhere. */
function placedIn(place: string, server: McpServerEntry): McpServerEntry {
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
