import { z } from '@hono/zod-openapi';
import { Name } from './common.ts';

// What the settings page changes: deployments, tool servers and approval rules, each as the configuration file has it.

/** No program, header or file takes a NUL; what refuses one would quote the whole value. */
const text = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      message: 'must be whole Unicode text, without halves of surrogate pairs and without NUL',
    });

export const ApprovalPolicy = z.enum(['auto', 'ask', 'never']);

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
const VARIABLE_NAME = /^[^=\0]{1,200}$/;
/** What `fetch` sends as a header. */
const headerValue = text(20_000).regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin letters and signs');
const variableValue = text(100_000);

/**
 * One tool server: a program that is started, or an address. `value` is what a header or a variable holds: a text in a
 * file; over the API also null, which stands for what is stored.
 */
const mcpServer = <Header extends z.ZodType, Variable extends z.ZodType>(header: Header, variable: Variable) =>
  z.union([
    z
      .object({
        command: text(4_000).min(1),
        args: z.array(text(20_000)).max(200).optional(),
        env: z.record(z.string().regex(VARIABLE_NAME, 'is not the name of a variable'), variable).optional(),
        cwd: text(4_000).min(1).optional(),
        disabled: z.boolean().optional(),
      })
      .strict(),
    z
      .object({
        url: z
          .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://.' })
          .max(4_000)
          .refine((url) => !hasUser(url), 'must hold no user and no password; use a header'),
        headers: z.record(z.string().regex(HEADER_NAME, 'is not the name of a header'), header).optional(),
        disabled: z.boolean().optional(),
      })
      .strict(),
  ]);

function hasUser(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** An entry of `mcpServers` in a configuration file. */
export const McpServerEntry = mcpServer(headerValue, variableValue);
/** The same over the API. Values of `env` and `headers` are not returned: null says that one is set, or keeps it. */
export const McpServerDraft = mcpServer(headerValue.nullable(), variableValue.nullable()).openapi('McpServerEntry');

export const MCP_SERVER_NAME = /^[A-Za-z0-9_-]{1,32}$/;
/** In a path: a name that begins with a letter or a digit, so that none is a word of the language. */
export const McpServerName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, 'use letters, digits, - and _');
export const DeploymentId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][\w.-]*$/i, 'use letters, digits, ".", "_" and "-"');
/** A tool, or all whose names begin like this: `calculator`, `files.read`, `files.*`. */
export const ApprovalPattern = Name;

/**
 * An entry of `providers` in a configuration file. The server reads it with the same code as the file, which knows what
 * a deployment needs; this is its outline.
 */
export const DeploymentDraft = z
  .object({
    label: Name.optional(),
    protocol: z.enum(['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini']).optional(),
    baseUrl: text(2_000).optional(),
    models: z
      .array(z.union([text(200), z.record(z.string().max(100), z.unknown())]))
      .max(500)
      .optional(),
    defaultModel: text(200).optional(),
    headers: z.record(z.string().regex(HEADER_NAME, 'is not the name of a header'), headerValue.nullable()).optional(),
    quirks: z.record(z.string().max(100), z.unknown()).optional(),
  })
  .strict()
  .openapi('DeploymentEntry');

/** Where an entry is stored: in the user's configuration file, which the page only shows, or in the page's own. */
export const Place = z.enum(['file', 'page']);

export const Places = {
  /** The configuration file; null if there is none. */
  file: z.string().nullable(),
  /** Where the page keeps what is set in it, in the form of a configuration file. */
  pageFile: z.string(),
  /** BOUGH_PAGE_SETTINGS is `locked`: nothing of this can be changed here. */
  locked: z.boolean(),
};

export const DeploymentView = z
  .object({
    id: z.string(),
    from: Place,
    /** Set in the page as well, where it has no effect: the configuration file decides. */
    alsoInPage: z.boolean(),
    /** As in the file, with null for the value of each header. */
    entry: z.record(z.string(), z.unknown()),
  })
  .openapi('Deployment');
export const DeploymentList = z.object({ ...Places, deployments: z.array(DeploymentView) }).openapi('DeploymentList');

const Rule = z.object({ pattern: z.string(), policy: ApprovalPolicy, from: Place });
const RuledTool = z.object({
  /** As models know it. */
  name: z.string(),
  /** As approval rules name it. */
  ruleName: z.string(),
  description: z.string(),
  approval: ApprovalPolicy,
  /** The rule that decides; null if none does. */
  rule: Rule.nullable(),
});

export const McpServerView = z
  .object({
    name: z.string(),
    from: Place,
    alsoInPage: z.boolean(),
    entry: McpServerDraft,
    state: z.enum(['connected', 'connecting', 'failed', 'disabled']),
    /** Why it is not connected; null if it is, or if nothing is known yet. */
    problem: z.string().nullable(),
    tools: z.array(RuledTool),
  })
  .openapi('McpServer');
export const McpServerList = z
  .object({
    ...Places,
    servers: z.array(McpServerView),
    builtIn: z.array(RuledTool),
    /** Every rule, also those of tools that are not there now. */
    rules: z.array(Rule),
  })
  .openapi('McpServerList');

export const SetApproval = z
  .object({ pattern: ApprovalPattern, policy: ApprovalPolicy.nullable() })
  .strict()
  .openapi('SetApproval');

export const ProviderCheckView = z
  .object({
    /** `works`, or why not; `no_key` means that nothing was sent. */
    outcome: z.enum([
      'works',
      'no_key',
      'key_refused',
      'no_permission',
      'rate_limited',
      'unreachable',
      'timeout',
      'failing',
      'not_found',
      'refused',
    ]),
    /** How many models the provider lists; null if it has no list. */
    models: z.number().nullable(),
    /** The provider's own words, or what happened to the connection, without a secret. */
    message: z.string().nullable(),
    milliseconds: z.number(),
  })
  .openapi('ProviderCheck');
