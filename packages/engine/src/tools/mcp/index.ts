import { VERSION } from '@bough/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool, ToolAnswer, ToolContext } from '../tool.ts';
import type { ToolSource } from '../tool-box.ts';
import type { ChildProgram } from './child.ts';
import { ChildTransport } from './child.ts';
import { wireName } from './names.ts';
import { answerOfResult } from './result.ts';

export type McpServerConfig =
  | ChildProgram
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface McpOptions {
  readonly onProblem: (server: string, message: string) => void;
  /** Removes what nobody may read from a message: a server or a library may quote a header. */
  readonly redact?: (message: string) => string;
  /** The wait before the nth attempt to reconnect. */
  readonly backOffMs?: (attempt: number) => number;
}

/** How a server is doing; `problem` is why it is not connected. */
export interface McpState {
  readonly state: 'connecting' | 'connected' | 'failed';
  readonly problem: string | null;
}

const defaultBackOff = (attempt: number): number => Math.min(500 * 2 ** attempt, 30_000);

/**
 * The tools of one MCP server. Connects in the background, and again whenever the connection is lost; meanwhile a call
 * is an error result for the model. Nothing here ever fails a turn.
 */
export class McpSource implements ToolSource {
  readonly name: string;
  readonly #config: McpServerConfig;
  readonly #options: McpOptions;
  #client: Client | null = null;
  /** Of the latest attempt, connected or not. */
  #transport: Transport | null = null;
  #tools: readonly Tool[] = [];
  #closed = false;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #connecting: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  /** Changes with every reconnection that was asked for: attempts that began before it no longer count. */
  #round = 0;
  readonly #running = new Set<Promise<unknown>>();

  constructor(name: string, config: McpServerConfig, options: McpOptions) {
    this.name = name;
    this.#config = config;
    this.#options = options;
  }

  /** Begins to connect, and never fails: `tools` and `onProblem` report the outcome. */
  start(): void {
    this.#connecting = this.#connect(0);
  }

  tools(): readonly Tool[] {
    return this.#client === null ? [] : this.#tools;
  }

  state(): McpState {
    if (this.#client !== null) return { state: 'connected', problem: null };
    return { state: this.#problem === null ? 'connecting' : 'failed', problem: this.#problem };
  }

  /** Connects anew, whatever the state; resolves once that has succeeded or failed. */
  async reconnect(): Promise<void> {
    if (this.#closed) return;
    this.#round += 1;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#client = null;
    this.#problem = null;
    const ending = Promise.resolve(this.#transport?.close());
    const before = this.#connecting;
    const anew = async (): Promise<void> => {
      await ending;
      await before;
      await this.#connect(0);
    };
    this.#connecting = anew();
    await this.#connecting;
  }

  /** Also ends a connection that is still being made: a server that does not answer would hold us up for a minute. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#client = null;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#transport?.close();
    await this.#connecting;
  }

  /** Closes once the calls that are running have ended: a turn that is using the server keeps it for that long. */
  async retire(): Promise<void> {
    while (this.#running.size > 0 && !this.#closed) await Promise.allSettled(this.#running);
    await this.close();
  }

  async #connect(attempt: number): Promise<void> {
    if (this.#closed) return;
    const round = this.#round;
    const isOver = (): boolean => this.#closed || round !== this.#round;
    const client = new Client({ name: 'bough', version: VERSION });
    const transport = transportFor(this.#config);
    this.#transport = transport;
    try {
      await client.connect(transport);
      const { tools } = await client.listTools();
      if (isOver()) return;
      this.#tools = tools.map((tool) => this.#toTool(tool));
      this.#client = client;
      this.#problem = null;
      client.onclose = () => this.#lost(client);
    } catch (error) {
      if (isOver()) return;
      this.#report(error instanceof Error ? error.message : String(error));
      await transport.close();
      if (!isOver()) this.#again(attempt);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#report('The connection was lost.');
    // What a program started may outlive it.
    this.#connecting = Promise.resolve(this.#transport?.close());
    this.#again(0);
  }

  #report(message: string): void {
    const problem = this.#options.redact?.(message) ?? message;
    this.#problem = problem;
    this.#options.onProblem(this.name, problem);
  }

  #again(attempt: number): void {
    if (this.#closed) return;
    const wait = (this.#options.backOffMs ?? defaultBackOff)(attempt);
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect(attempt + 1);
    }, wait);
    this.#retry.unref();
  }

  #toTool(tool: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: Readonly<Record<string, unknown>>;
  }): Tool {
    return {
      source: this.name,
      dottedName: `${this.name}.${tool.name}`,
      definition: {
        name: wireName(this.name, tool.name),
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
      },
      run: (parameters, context) => this.#call(tool.name, parameters, context),
    };
  }

  async #call(
    tool: string,
    parameters: Readonly<Record<string, unknown>>,
    { signal, keepFile }: ToolContext,
  ): Promise<ToolAnswer> {
    if (this.#client === null) throw new Error(`The tool server "${this.name}" is not connected right now.`);
    const call = this.#client.callTool({ name: tool, arguments: { ...parameters } }, CallToolResultSchema, { signal });
    this.#running.add(call);
    try {
      return await answerOfResult(await call, keepFile);
    } finally {
      this.#running.delete(call);
    }
  }
}

function transportFor(config: McpServerConfig): Transport {
  if ('url' in config) {
    const headers = config.headers ?? {};
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers } });
  }
  return new ChildTransport(config);
}
