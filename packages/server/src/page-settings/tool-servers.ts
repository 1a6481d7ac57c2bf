import type { McpServerInput, McpServerView } from '@bough/api';
import { UnknownIdError } from '@bough/core';
import type { McpServerConfig } from '@bough/engine';
import { McpSource } from '@bough/engine';
import { createRedactor } from '@bough/providers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, McpServerEntry, PageSettings } from '../config/index.ts';
import { placedServers, shown } from '../config/index.ts';
import type { Log } from '../log.ts';
import { compact, hidden, keptUrl, sameOrigin, shownUrl, withKept, without } from './kept-values.ts';
import { requireOpen, setInFile } from './refusals.ts';

/** What is known of a server besides its tools. */
export type ToolServer = Omit<McpServerView, 'tools'>;

export interface ToolServers {
  readonly sources: () => readonly McpSource[];
  readonly list: () => readonly ToolServer[];
  readonly get: (name: string) => ToolServer;
  readonly set: (name: string, draft: McpServerInput) => void;
  readonly remove: (name: string) => void;
  /** Connects anew, and waits a while for the outcome. */
  readonly reconnect: (name: string) => Promise<void>;
  /** Begins to connect. In the background: a server that is slow to start must not keep the program from starting. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

type Servers = Readonly<Record<string, McpServerEntry>>;
interface Running {
  readonly source: McpSource;
  /** What it was started with, to tell whether that has changed. */
  readonly made: string;
}

const PATIENCE_MS = 15_000;

/** The MCP servers of the configuration file and of the settings page: the file decides where both have one. */
export function createToolServers(config: Config, page: PageSettings, log: Log): ToolServers {
  const inFile: Servers = config.file.mcpServers ?? {};
  // Of the page's file this process may have been told to leave out the servers: it then starts none of them later.
  const inPage = (): Servers => page.current().mcpServers ?? {};
  const wanted = (): Servers => ({ ...placedServers(page.path, inPage()), ...inFile });
  const running = new Map<string, Running>();
  const retiring = new Set<McpSource>();

  const begin = (name: string, entry: McpServerEntry): void => {
    const server = enabled(entry);
    const redact = createRedactor(secretsOf(server));
    const source = new McpSource(name, server as McpServerConfig, {
      redact: (message) => shown(redact(message)),
      onProblem: (_name, message) => log.error('mcp', { server: name, message }),
    });
    running.set(name, { source, made: JSON.stringify(server) });
    source.start();
  };
  const end = (name: string, source: McpSource): void => {
    running.delete(name);
    retiring.add(source);
    void source.retire().finally(() => retiring.delete(source));
  };
  const apply = (): void => {
    const servers = Object.entries(wanted()).filter(([, { disabled }]) => disabled !== true);
    const made = new Map(servers.map(([name, entry]) => [name, JSON.stringify(enabled(entry))]));
    for (const [name, { source, made: old }] of running) if (made.get(name) !== old) end(name, source);
    for (const [name, server] of servers) if (!running.has(name)) begin(name, server);
  };
  const viewOf = (name: string, entry: McpServerEntry, from: ToolServer['from']): ToolServer => {
    const source = running.get(name)?.source;
    return {
      name,
      from,
      alsoInPage: from === 'file' && Object.hasOwn(inPage(), name),
      entry: shownEntry(entry),
      ...(source === undefined ? { state: 'disabled' as const, problem: null } : source.state()),
    };
  };
  const list = (): readonly ToolServer[] => [
    ...Object.entries(inFile).map(([name, entry]) => viewOf(name, entry, 'file')),
    ...Object.entries(inPage()).flatMap(([name, entry]) =>
      Object.hasOwn(inFile, name) ? [] : [viewOf(name, entry, 'page')],
    ),
  ];
  const get = (name: string): ToolServer => {
    const found = list().find((server) => server.name === name);
    if (found === undefined) throw new UnknownIdError('MCP server', name);
    return found;
  };
  const write = (edit: (servers: Servers) => Servers): void => {
    page.change((file) => ({ ...file, mcpServers: { ...edit(file.mcpServers ?? {}) } }));
    apply();
  };

  return {
    sources: () => [...running.values()].map(({ source }) => source),
    list,
    get,
    set: (name, draft) => {
      requireOpen(config);
      if (Object.hasOwn(inFile, name)) throw setInFile(`"${name}"`, config);
      const before = Object.hasOwn(inPage(), name) ? inPage()[name] : undefined;
      const entry = entryOf(draft, before);
      write((servers) => ({ ...servers, [name]: entry }));
    },
    remove: (name) => {
      requireOpen(config);
      if (!Object.hasOwn(inPage(), name) && get(name).from === 'file') throw setInFile(`"${name}"`, config);
      write((servers) => without(servers, name));
    },
    reconnect: async (name) => {
      get(name);
      await Promise.race([running.get(name)?.source.reconnect(), sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
    start: apply,
    close: async () => {
      const sources = [...[...running.values()].map(({ source }) => source), ...retiring];
      await Promise.all(sources.map((source) => source.close()));
    },
  };
}

/** Without the switch, which is no part of what is started. */
function enabled(entry: McpServerEntry): McpServerEntry {
  const server = { ...entry };
  delete server.disabled;
  return server;
}

function entryOf(draft: McpServerInput, before: McpServerEntry | undefined): McpServerEntry {
  if ('url' in draft) {
    const stored = before !== undefined && 'url' in before ? before : undefined;
    const url = keptUrl(draft.url, stored?.url);
    const isElsewhere = !sameOrigin(url, stored?.url);
    return compact({ ...draft, url, headers: withKept('headers', draft.headers, stored?.headers, isElsewhere) });
  }
  const stored = before !== undefined && 'command' in before ? before.env : undefined;
  return compact({ ...draft, env: withKept('env', draft.env, stored) });
}

function shownEntry(entry: McpServerEntry): McpServerView['entry'] {
  if ('url' in entry) {
    const { headers } = entry;
    return { ...entry, url: shownUrl(entry.url), ...(headers === undefined ? {} : { headers: hidden(headers) }) };
  }
  return { ...entry, ...(entry.env === undefined ? {} : { env: hidden(entry.env) }) };
}

/** What a failed connection may quote, and nobody may read. */
function secretsOf(server: McpServerEntry): readonly string[] {
  if (!('url' in server)) return Object.values(server.env ?? {});
  const values = Object.values(server.headers ?? {}).flatMap((value) => [value, ...value.split(' ')]);
  return [...values, ...new URL(server.url).searchParams.values()];
}
