// A small MCP server over standard input and output, for the tour and the browser tests.
import { createInterface } from 'node:readline';

const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'garden', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      tool('water', 'Waters a bed of the garden.'),
      tool('harvest', 'Picks what is ripe, and says what it was and how much of it there is left for later.'),
    ],
  }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name}: done` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} })}\n`);
}
