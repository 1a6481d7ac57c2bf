import type { Client } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { MCP_TOKEN, PRIVATE_MCP, startSimulator } from '@bough/simulator';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

// Remote MCP servers that ask for a token, through the running program.

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
let client: Client;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'secrets' });
  recorder = await startRecorder(simulator.url);
  const at = (path: string) => ({ baseUrl: `${recorder.url}${path}` });
  server = await startTestServer(
    { WIKI_TOKEN: MCP_TOKEN, WRONG_TOKEN: 'another-token' },
    {
      providers: { simulated: at(''), simulated_responses: at('/v1') },
      secrets: {
        wiki: { for: PRIVATE_MCP, env: 'WIKI_TOKEN' },
        wrong: { for: PRIVATE_MCP, env: 'WRONG_TOKEN' },
        unset: { for: PRIVATE_MCP, env: 'NOBODY_SET_THIS' },
      },
    },
  );
  client = server.client;
});
beforeEach(() => simulator.clearLog());
afterAll(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const wiki = (change: { serverUrl?: string; authorization?: string } = {}) => ({
  tool: 'remote_mcp' as const,
  settings: { serverUrl: `${PRIVATE_MCP}/mcp`, serverLabel: 'wiki', authorization: 'wiki', ...change },
});

/** The names of all files below that hold the words. */
async function filesWith(directory: string, words: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    if ((await stat(path)).isFile() && (await readFile(path)).includes(words)) found.push(name);
  }
  return found;
}

describe.each(['simulated', 'simulated_responses'])('%s', (provider) => {
  it('SV-135: a server that asks for a token is shown the configured one, in every request', async () => {
    const { project } = await client.createProject({ provider, providerTools: [wiki()] });
    for (const words of ['trees', 'shrubs']) {
      const lines = await say(client, project.id, 'main', `/sim mcp ${words}`);
      expect(endOf(lines).status, JSON.stringify(lines)).toBe('complete');
      expect(recorder.bodies().at(-1)).toContain(MCP_TOKEN);
    }
    expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });

  it('SV-136: the token is in nothing that is stored, shown, exported or logged', async () => {
    const { project } = await client.createProject({ provider, providerTools: [wiki()] });
    const lines = await say(client, project.id, 'main', '/sim mcp trees');
    const shown = [
      lines,
      await client.history(project.id, { ref: 'main' }),
      await client.listProviders(),
      server.logged(),
    ];
    expect(JSON.stringify(shown)).not.toContain(MCP_TOKEN);
    const preview = JSON.stringify(await client.context(project.id, { ref: 'main' }));
    expect(preview).toContain('<secret wiki>');
    expect(preview).not.toContain(MCP_TOKEN);
    const bundle = Buffer.from(await (await client.exportProject(project.id)).arrayBuffer());
    expect(bundle.includes(MCP_TOKEN)).toBe(false);
    expect(await filesWith(server.dataDir, MCP_TOKEN)).toEqual([]);
  });

  it('SV-137: one that is not configured, or is for another server, is refused before anything is stored', async () => {
    const asked = async (change: Parameters<typeof wiki>[0]) =>
      client.createProject({ provider, providerTools: [wiki(change)] });
    const refusal = (detail: string) => ({
      status: 422,
      code: 'secret_missing',
      message: expect.stringContaining(detail),
    });
    await expect(asked({ serverUrl: 'https://elsewhere.example.com/mcp' })).rejects.toMatchObject(
      refusal('sent to no other server'),
    );
    await expect(asked({ authorization: 'unset' })).rejects.toMatchObject(refusal('NOBODY_SET_THIS'));
    const pasted = await asked({ authorization: 'ghp_pasted' }).catch((error: unknown) => error);
    expect(pasted).toMatchObject(refusal('Those of the configuration: wiki, wrong, unset.'));
    expect(JSON.stringify(pasted)).not.toContain('ghp_pasted');
    expect(await filesWith(server.dataDir, 'ghp_pasted')).toEqual([]);
    const preset = { name: `pasted ${provider}`, provider, model: 'sim-thinker' };
    await expect(
      client.createPreset({ ...preset, providerTools: [wiki({ authorization: 'ghp_pasted' })] }),
    ).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it('SV-138: a server that refuses the token is a sentence without it', async () => {
    const { project } = await client.createProject({ provider, providerTools: [wiki({ authorization: 'wrong' })] });
    const lines = await say(client, project.id, 'main', '/sim mcp trees');
    expect(endOf(lines).status).toBe('error');
    expect(lines.find(({ type }) => type === 'error')).toMatchObject({ message: expect.stringContaining('wiki') });
    expect(JSON.stringify(lines)).not.toContain('another-token');
  });

  it('SV-139: an import does not take it along', async () => {
    const { project } = await client.createProject({ provider, providerTools: [wiki()] });
    const exported = await (await client.exportProject(project.id)).arrayBuffer();
    await client.deleteProject(project.id);
    await client.emptyTrash();
    await (await client.importFile(new Uint8Array(exported), { name: 'bundle.zip' })).text();
    const { branches } = await client.listBranches(project.id);
    expect(branches[0]?.providerTools).toEqual([
      { tool: 'remote_mcp', settings: { serverUrl: `${PRIVATE_MCP}/mcp`, serverLabel: 'wiki' } },
    ]);
  });
});

it('SV-139: it goes to no other address of the provider than that of the configuration', async () => {
  const asked = () => client.createProject({ provider: 'anthropic', providerTools: [wiki()] });
  await asked();
  await client.setProviderBaseUrl('anthropic', 'https://elsewhere.example.com');
  await expect(asked()).rejects.toMatchObject({ code: 'secret_missing' });
  await client.setProviderBaseUrl('anthropic', null);
  await asked();
});
