import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';

/** A real MCP server over stdio, written with the official SDK. `crash` ends its process in the middle of a call. */
function mcpServerSource(): string {
  const resolve = (path: string): string => pathToFileURL(createRequire(import.meta.url).resolve(path)).href;
  return `
import { McpServer } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/mcp.js'))};
import { StdioServerTransport } from ${JSON.stringify(resolve('@modelcontextprotocol/sdk/server/stdio.js'))};
const server = new McpServer({ name: 'test', version: '1.0.0' });
server.registerTool('shout', { description: 'Says it loudly.' }, async () => ({ content: [{ type: 'text', text: 'HELLO FROM MCP' }] }));
server.registerTool('crash', { description: 'Ends the server.' }, async () => process.exit(3));
await server.connect(new StdioServerTransport());
`;
}

async function toolIsThere(name: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { tools } = await server.client.listTools();
      expect(tools.find((tool) => tool.name === name)?.available).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
}

let dir: string;
let server: TestServer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-mcp-'));
  await writeFile(join(dir, 'server.mjs'), mcpServerSource());
  server = await startTestServer(
    {},
    {
      mcpServers: {
        loud: { command: process.execPath, args: [join(dir, 'server.mjs')] },
        absent: { command: join(dir, 'no-such-program') },
      },
      tools: { approval: { calculator: 'ask', 'loud.*': 'auto', current_time: 'never' } },
    },
  );
  await toolIsThere('loud__shout');
});
afterAll(async () => {
  await server.dispose();
  await rm(dir, { recursive: true, force: true });
});

describe('approval', () => {
  const startAsking = async (): Promise<{ id: string; turnId: string; callId: string }> => {
    const { project } = await server.client.createProject({ tools: ['calculator'] });
    const response = await server.client.chat(project.id, { ref: 'main', message: '/sim tools calculator' });
    await expect
      .poll(async () => (await server.client.history(project.id, { ref: 'main' })).groups[0]?.status)
      .toBe('awaiting_approval');
    await response.body?.cancel();
    const { groups } = await server.client.history(project.id, { ref: 'main' });
    const call = groups[0]?.segments.flatMap((segment) => segment.items).find((item) => item.type === 'tool');
    return { id: project.id, turnId: groups[0]?.turnId ?? '', callId: call?.type === 'tool' ? call.id : '' };
  };

  it('EN-19: a tool that must be asked for pauses the turn, and runs when it is allowed', async () => {
    const { id, turnId, callId } = await startAsking();
    await expect(server.client.approve(id, { turnId, toolCallId: 'nobody', approve: true })).rejects.toMatchObject({
      status: 404,
    });
    await server.client.approve(id, { turnId, toolCallId: callId, approve: true });
    const lines = await allLines(await server.client.turnStream(id, turnId, 0));
    expect(endOf(lines).status).toBe('complete');
    expect(lines.filter((line) => line.type === 'approval').map((line) => line.state)).toEqual(['asked', 'approved']);
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({ toolCallId: callId, isError: false });
    expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index + 1));
  });

  it('EN-118: how long a tool ran is stored with its result, without the time in which it waited for a person', async () => {
    const { id, turnId, callId } = await startAsking();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await server.client.approve(id, { turnId, toolCallId: callId, approve: true });
    const lines = await allLines(await server.client.turnStream(id, turnId, 0));
    const shown = lines.find((line) => line.type === 'tool_result');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const stored = groups[0]?.reply.find((node) => node.role === 'tool');
    expect(stored?.toolMs).toBe(shown?.type === 'tool_result' ? shown.durationMs : 'not shown');
    expect(stored?.toolMs).toBeLessThan(1_000);
  });

  it('EN-20: a tool that is declined is an error result, and the model answers without it', async () => {
    const { id, turnId, callId } = await startAsking();
    await server.client.approve(id, { turnId, toolCallId: callId, approve: false });
    const lines = await allLines(await server.client.turnStream(id, turnId, 0));
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({
      isError: true,
      content: expect.stringContaining('declined'),
    });
    expect(endOf(lines).status).toBe('complete');
  });

  it('EN-90: the model reads why a call was declined', async () => {
    const { id, turnId, callId } = await startAsking();
    await server.client.approve(id, { turnId, toolCallId: callId, approve: false, reason: 'use the other one' });
    const lines = await allLines(await server.client.turnStream(id, turnId, 0));
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({
      isError: true,
      content: 'The user declined this tool call: use the other one',
    });
    const { groups } = await server.client.history(id, { ref: 'main' });
    expect(groups[0]?.reply.find((node) => node.role === 'tool')?.content).toContain('use the other one');
  });

  it('EN-91: a tool that is always allowed on a branch runs there unasked, after a restart too, and not on a fork', async () => {
    const { id, turnId, callId } = await startAsking();
    await server.client.approve(id, { turnId, toolCallId: callId, approve: true, always: true });
    expect(endOf(await allLines(await server.client.turnStream(id, turnId, 0))).status).toBe('complete');
    server = await server.restart();
    const { branches } = await server.client.listBranches(id);
    expect(branches[0]?.allowedTools).toEqual(['calculator']);
    const again = await say(server.client, id, 'main', '/sim tools calculator');
    expect(endOf(again).status).toBe('complete');
    expect(again.filter((line) => line.type === 'approval')).toEqual([]);
    const { branch: fork } = await server.client.createBranch(id, { fromRef: 'main', name: 'fork' });
    expect(fork.allowedTools).toBeUndefined();
    const asking = await server.client.chat(id, { ref: 'fork', message: '/sim tools calculator' });
    await expect
      .poll(async () => (await server.client.history(id, { ref: 'fork' })).groups.at(-1)?.status)
      .toBe('awaiting_approval');
    await asking.body?.cancel();
    await server.client.interrupt(id, { ref: 'fork' });
    expect((await server.client.updateBranch(id, 'main', { allowedTools: [] })).branch.allowedTools).toBeUndefined();
  });

  it('EN-91: it also answers the other calls of that tool that wait', async () => {
    const { project } = await server.client.createProject({ tools: ['calculator'] });
    const response = await server.client.chat(project.id, { ref: 'main', message: '/sim tools calculator x3' });
    await expect
      .poll(async () => (await server.client.history(project.id, { ref: 'main' })).groups[0]?.status)
      .toBe('awaiting_approval');
    const { groups } = await server.client.history(project.id, { ref: 'main' });
    const call = groups[0]?.segments.flatMap((segment) => segment.items).find((item) => item.type === 'tool');
    const toolCallId = call?.type === 'tool' ? call.id : '';
    await server.client.approve(project.id, {
      turnId: groups[0]?.turnId ?? '',
      toolCallId,
      approve: true,
      always: true,
    });
    const lines = await allLines(response);
    expect(lines.filter((line) => line.type === 'tool_result')).toHaveLength(3);
    expect(endOf(lines).status).toBe('complete');
  });

  it('EN-21: a paused turn survives a restart, and can be stopped', async () => {
    const paused = await startAsking();
    const stopped = await startAsking();
    server = await server.restart();
    await server.client.approve(paused.id, { turnId: paused.turnId, toolCallId: paused.callId, approve: true });
    expect(endOf(await allLines(await server.client.turnStream(paused.id, paused.turnId, 0))).status).toBe('complete');
    await server.client.interrupt(stopped.id, { turnId: stopped.turnId });
    expect((await server.client.history(stopped.id, { ref: 'main' })).groups[0]?.status).toBe('interrupted');
    expect(endOf(await say(server.client, stopped.id, 'main', 'go on')).status).toBe('complete');
  });

  it('EN-22: a tool that is never allowed is refused without asking', async () => {
    const { project } = await server.client.createProject({ tools: ['current_time'] });
    const lines = await say(server.client, project.id, 'main', '/sim tools current_time');
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({
      isError: true,
      content: expect.stringContaining('not allowed'),
    });
    expect(endOf(lines).status).toBe('complete');
  });
});

describe('MCP', () => {
  it('EN-23: the tools of an MCP server run, and one that ends in a call breaks no turn and comes back', async () => {
    await toolIsThere('loud__shout');
    const { project } = await server.client.createProject({ tools: ['loud__shout', 'loud__crash'] });
    const lines = await say(server.client, project.id, 'main', '/sim tools loud__shout');
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({
      content: 'HELLO FROM MCP',
      isError: false,
    });
    const crashed = await say(server.client, project.id, 'main', '/sim tools loud__crash');
    expect(crashed.find((line) => line.type === 'tool_result')).toMatchObject({ isError: true });
    expect(endOf(crashed).status).toBe('complete');
    await toolIsThere('loud__shout');
    expect(endOf(await say(server.client, project.id, 'main', '/sim tools loud__shout')).status).toBe('complete');
  });

  it('EN-24: a tool that nobody knows cannot be put into an envelope', async () => {
    await expect(server.client.createProject({ tools: ['no_such_tool'] })).rejects.toMatchObject({
      status: 422,
      code: 'unknown_tool',
    });
  });
});
