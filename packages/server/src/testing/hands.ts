import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Tools that take their time: `hands__quick` answers at once, `hands__slow` after a minute, that is, never in a test.
 */
export interface HandsOptions {
  readonly approval?: Readonly<Record<string, 'auto' | 'ask' | 'never'>>;
  /** Additional content for the configuration file. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Writes an MCP server over stdio and a configuration that names it; returns the path of the configuration. */
export async function writeHands(
  directory: string,
  { approval = {}, config = {} }: HandsOptions = {},
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const script = join(directory, 'hands.mjs');
  await writeFile(script, handsSource());
  const path = join(directory, 'hands.config.json');
  await writeFile(
    path,
    JSON.stringify({
      mcpServers: { hands: { command: process.execPath, args: [script] } },
      tools: { approval: { 'hands.*': 'auto', ...approval } },
      ...config,
    }),
  );
  return path;
}

export function handsSource(): string {
  const resolve = (path: string): string => pathToFileURL(createRequire(import.meta.url).resolve(path)).href;
  return `
import { McpServer } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/mcp.js'))};
import { StdioServerTransport } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/stdio.js'))};
const server = new McpServer({ name: 'hands', version: '1.0.0' });
const text = (text) => ({ content: [{ type: 'text', text }] });
let times = 0;
server.registerTool('quick', { description: 'At once.' }, async () => text('quick ' + (times += 1)));
server.registerTool('slow', { description: 'Takes a minute.' }, () =>
  new Promise((resolve) => setTimeout(() => resolve(text('slow')), Number(process.env.SLOW_MS ?? 60_000)).unref()));
await server.connect(new StdioServerTransport());
`;
}
