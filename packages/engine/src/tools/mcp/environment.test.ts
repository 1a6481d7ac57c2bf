import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { ToolContext } from '../tool.ts';
import { McpSource } from './index.ts';

// A server with one tool, which reports its environment.
const SERVER = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'environment', description: '', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }));
}
`;

afterEach(() => vi.unstubAllEnvs());

it('TL-10: an MCP server gets what its configuration says, and nothing else of what Bough runs with', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bough-mcp-'));
  await writeFile(join(dir, 'server.mjs'), SERVER);
  for (const name of ['BOUGH_TOKEN', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'DATABASE_URL'])
    vi.stubEnv(name, 'a-secret');
  const problems: string[] = [];
  const source = new McpSource(
    'local',
    { command: process.execPath, args: [join(dir, 'server.mjs')], env: { GIVEN: 'to it', OPENAI_API_KEY: 'its own' } },
    { onProblem: (_, message) => problems.push(message) },
  );
  try {
    source.start();
    await expect.poll(() => source.tools().length + problems.length, { timeout: 30_000 }).toBe(1);
    expect(problems).toEqual([]);
    const [tool] = source.tools();
    const context = { signal: new AbortController().signal } as ToolContext;
    const answer = await tool?.run({}, context);
    const said = typeof answer === 'string' ? answer : (answer?.text ?? '{}');
    const environment = JSON.parse(said) as Record<string, string>;
    expect(environment).toMatchObject({ GIVEN: 'to it', OPENAI_API_KEY: 'its own', PATH: process.env['PATH'] });
    expect(JSON.stringify(environment)).not.toContain('a-secret');
  } finally {
    await source.close();
    await rm(dir, { recursive: true, force: true });
  }
});
