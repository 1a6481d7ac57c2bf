import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool, ToolContext } from '../tool.ts';
import type { ToolSource } from '../tool-box.ts';
import type { ChildProgram } from './child.ts';
import { ChildTransport } from './child.ts';
import { wireName } from './names.ts';
import { textOfResult } from './result.ts';

export type McpServerConfig =
  | ChildProgram
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface McpOptions {
  readonly onProblem: (server: string, message: string) => void;
  /** The wait before the nth attempt to reconnect. */
  readonly backOffMs?: (attempt: number) => number;
}

const defaultBackOff = (attempt: number): number => Math.min(500 * 2 ** attempt, 30_000);

/**
 * The tools of one MCP server. Connects in the background, and again whenever the connection is lost; meanwhile a call
 * is an error result for the model. Nothing here ever fails a turn.
 */
export class McpSource implements ToolSource {
  readonly #name: string;
  readonly #config: McpServerConfig;
  readonly #options: McpOptions;
  #client: Client | null = null;
  /** Of the latest attempt, connected or not. */
  #transport: Transport | null = null;
  #tools: readonly Tool[] = [];
  #closed = false;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #connecting: Promise<void> = Promise.resolve();

  constructor(name: string, config: McpServerConfig, options: McpOptions) {
    this.#name = name;
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

  /** Also ends a connection that is still being made: a server that does not answer would hold us up for a minute. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#client = null;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#transport?.close();
    await this.#connecting;
  }

  async #connect(attempt: number): Promise<void> {
    const client = new Client({ name: 'bough', version: '0.1.0' });
    const transport = transportFor(this.#config);
    this.#transport = transport;
    try {
      await client.connect(transport);
      const { tools } = await client.listTools();
      if (this.#closed) return;
      this.#tools = tools.map((tool) => this.#toTool(tool));
      this.#client = client;
      client.onclose = () => this.#lost(client);
    } catch (error) {
      if (this.#closed) return;
      this.#options.onProblem(this.#name, error instanceof Error ? error.message : String(error));
      await transport.close();
      this.#again(attempt);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#options.onProblem(this.#name, 'The connection was lost.');
    // What a program started may outlive it.
    this.#connecting = Promise.resolve(this.#transport?.close());
    this.#again(0);
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
      source: this.#name,
      dottedName: `${this.#name}.${tool.name}`,
      definition: {
        name: wireName(this.#name, tool.name),
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
      },
      run: (parameters, context) => this.#call(tool.name, parameters, context),
    };
  }

  async #call(tool: string, parameters: Readonly<Record<string, unknown>>, { signal }: ToolContext): Promise<string> {
    if (this.#client === null) throw new Error(`The tool server "${this.#name}" is not connected right now.`);
    const result = await this.#client.callTool({ name: tool, arguments: { ...parameters } }, CallToolResultSchema, {
      signal,
    });
    return textOfResult(result);
  }
}

function transportFor(config: McpServerConfig): Transport {
  if ('url' in config) {
    const headers = config.headers ?? {};
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers } });
  }
  return new ChildTransport(config);
}
