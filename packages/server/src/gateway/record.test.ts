import type { Branch, Call, ProjectId, ProtocolId, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import { rebuildBody } from '@bough/gateway';
import type { Store } from '@bough/store';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../config/index.ts';
import { openStore } from '../open-store.ts';
import { STORES } from '../testing/on-each-store.ts';
import type { MiniClient } from './client.ts';
import { DIALECTS, miniClient } from './client.ts';
import type { GatewayStage } from './testing.ts';
import { startStage } from './testing.ts';

const PROTOCOLS = Object.keys(DIALECTS) as readonly ProtocolId[];
const CLAUDE_CODE = (session: string): Readonly<Record<string, string>> => ({
  'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)',
  'x-claude-code-session-id': session,
});

interface Tree {
  readonly store: Store;
  readonly branches: readonly Branch[];
  readonly nodes: readonly TreeNode[];
  readonly calls: readonly Call[];
}

/** Stops the server and reads what it left. */
async function inStore<T>({ server }: GatewayStage, kind: string, work: (store: Store) => Promise<T>): Promise<T> {
  await server.stop();
  const variables = { BOUGH_STORE: kind, BOUGH_DATA_DIR: server.dataDir };
  const store = await openStore(readConfig(variables, server.dataDir));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function treeOf(store: Store, project: ProjectId, ref: string): Promise<Tree> {
  const branches = await store.listBranches(project);
  const { tipId } = await store.getBranch(project, ref);
  const nodes = tipId === null ? [] : await store.path(project, tipId);
  const turns = new Set(nodes.flatMap(({ turnId }) => (turnId === null ? [] : [turnId])));
  const calls: Call[] = [];
  for (const turn of turns) calls.push(...(await store.callsOfTurn(project, turn)));
  return { store, branches, nodes, calls };
}

describe.each(STORES)('conversations in %s', (kind) => {
  it('GW-26: of every protocol are trees with turns, calls and costs, and every body can be rebuilt to the byte', async () => {
    const stage = await startStage({ BOUGH_STORE: kind });
    const played: { readonly protocol: ProtocolId; client: MiniClient; project: ProjectId; texts: string[] }[] = [];
    for (const protocol of PROTOCOLS) {
      const client = miniClient(protocol, stage.at, {
        tools: ['ls'],
        system: 'You help.',
        headers: { 'x-bough-session': protocol },
      });
      const first = await client.say('Look. /sim tools ls');
      expect([protocol, first.status, first.calls.length], first.text).toEqual([protocol, 200, 1]);
      const second = await client.answer('a.ts');
      const third = await client.say('And then?');
      expect([second.status, third.status]).toEqual([200, 200]);
      played.push({
        protocol,
        client,
        project: projectId(first.headers.get('x-bough-project') ?? ''),
        texts: [second.text, third.text],
      });
    }
    await inStore(stage, kind, async (store) => {
      for (const { protocol, client, project, texts } of played) {
        const { branches, nodes, calls } = await treeOf(store, project, 'main');
        expect(
          branches.map(({ name, recorded }) => [name, recorded?.kind]),
          protocol,
        ).toEqual([['main', 'main']]);
        expect(
          nodes.map(({ role }) => role),
          protocol,
        ).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
        expect(
          nodes
            .filter(({ role }) => role === 'assistant')
            .slice(1)
            .map(({ content }) => content),
        ).toEqual(texts);
        const [asked, calling, result] = nodes;
        expect(result?.toolCallId).toBe(
          calling?.contentBlocks.find(({ type }) => type === 'tool-use')?.['id' as never],
        );
        // One user message with everything up to the answer is one turn.
        expect(new Set(nodes.slice(0, 4).map(({ turnId }) => turnId)).size).toBe(1);
        expect(nodes[4]?.turnId).not.toBe(asked?.turnId);
        expect(calls.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
        expect(calls.every(({ usage }) => (usage?.outputTokens ?? 0) > 0)).toBe(true);
        for (const [at, call] of calls.entries()) {
          expect(await rebuildBody(store, project, call, 'came'), `${protocol} ${at}`).toBe(client.bodies[at]);
          expect(await rebuildBody(store, project, call, 'sent')).toBe(client.bodies[at]);
        }
        const details = await store.getProject(project);
        expect(details).toMatchObject({ name: 'Look. /sim tools ls' });
        expect(await store.openTurns(project)).toEqual([]);
      }
    });
  });

  it('GW-21: results that come together with the next message belong to the turn of their calls', async () => {
    const stage = await startStage({ BOUGH_STORE: kind });
    const client = miniClient('openai-chat', stage.at, {
      tools: ['ls'],
      headers: { 'x-bough-session': 'interrupted' },
    });
    const { headers } = await client.say('Look. /sim tools ls');
    expect((await client.interrupt('The user stopped it.', 'Something else, please.')).status).toBe(200);
    const project = projectId(headers.get('x-bough-project') ?? '');
    await inStore(stage, kind, async (store) => {
      const { branches, nodes } = await treeOf(store, project, 'main');
      expect(branches).toHaveLength(1);
      expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
      const turns = nodes.map(({ turnId }) => turnId);
      expect(new Set(turns.slice(0, 3)).size).toBe(1);
      expect(new Set(turns).size).toBe(2);
      expect((await store.nodesOfTurn(project, turns[0] as never)).map(({ id }) => id)).toEqual(
        nodes.slice(0, 3).map(({ id }) => id),
      );
    });
  });

  it('GW-27: what the client does to its history is a fork, with its reason; nothing is lost', async () => {
    const stage = await startStage({ BOUGH_STORE: kind });
    const client = miniClient('anthropic-messages', stage.at, { headers: CLAUDE_CODE('forks'), tools: ['ls'] });
    const { headers } = await client.say('One');
    await client.say('Two');
    client.rewind(2);
    await client.say('Two, differently');
    client.rewind(3);
    await client.again();
    client.rewind(0);
    await client.say('This session is being continued from a previous conversation. It was about one and two.');
    const project = projectId(headers.get('x-bough-project') ?? '');
    await inStore(stage, kind, async (store) => {
      const branches = await store.listBranches(project);
      expect(branches.map(({ recorded }) => [recorded?.kind, recorded?.because])).toEqual([
        ['main', null],
        ['main', 'edited'],
        ['main', 'regenerated'],
        ['main', 'compacted'],
      ]);
      const paths = [];
      for (const { tipId } of branches) {
        const path = tipId === null ? [] : await store.path(project, tipId);
        paths.push(path.filter(({ role }) => role === 'user').map(({ content }) => content));
      }
      expect(paths.slice(0, 3)).toEqual([
        ['One', 'Two'],
        ['One', 'Two, differently'],
        ['One', 'Two, differently'],
      ]);
    });
  });

  it('GW-28: sub-agents and side calls of a session are conversations of their own in its project', async () => {
    const stage = await startStage({ BOUGH_STORE: kind });
    const own = { headers: CLAUDE_CODE('asides') };
    const title = miniClient('anthropic-messages', stage.at, { ...own, system: 'You write titles.' });
    const { headers } = await title.say('Write a title for: fix the build');
    const main = miniClient('anthropic-messages', stage.at, { ...own, system: 'You are an agent.', tools: ['ls'] });
    await main.say('Fix the build');
    const sub = miniClient('anthropic-messages', stage.at, { ...own, system: 'You explore.', tools: ['ls'] });
    await sub.say('Where is the build?');
    await sub.say('And the tests?');
    await main.say('Thanks');
    const project = projectId(headers.get('x-bough-project') ?? '');
    await inStore(stage, kind, async (store) => {
      const branches = await store.listBranches(project);
      expect(branches.map(({ name, recorded }) => [name, recorded?.kind])).toEqual([
        ['Write a title for: fix the build', 'aside'],
        ['main', 'main'],
        ['Where is the build?', 'aside'],
      ]);
      expect(branches[2]?.recorded).toMatchObject({ client: 'claude-code/2.1.325', session: 'asides' });
      const beside = branches[2]?.recorded?.beside;
      const path = await store.path(project, (await store.getBranch(project, 'main')).tipId as never);
      expect(path.map(({ id }) => id)).toContain(beside);
      expect(path).toHaveLength(4);
      expect(await store.getProject(project)).toMatchObject({ name: 'Fix the build', folder: 'Claude Code' });
    });
  });
});

describe('what fails', () => {
  it('GW-29: a client’s own retries after errors are calls of one turn', async () => {
    const stage = await startStage();
    const client = miniClient('anthropic-messages', stage.at, { headers: CLAUDE_CODE('retries'), tools: ['ls'] });
    let refusals = 2;
    stage.tee.answerWith((_, response) => {
      if (refusals === 0) return false;
      refusals -= 1;
      response.writeHead(529, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
      return true;
    });
    expect((await client.say('Hello?')).status).toBe(529);
    expect((await client.again()).status).toBe(529);
    const { status, headers, text } = await client.again();
    expect(status).toBe(200);
    await client.say('And?');
    const project = projectId(headers.get('x-bough-project') ?? '');
    await inStore(stage, 'files', async (store) => {
      const { branches, nodes, calls } = await treeOf(store, project, 'main');
      expect(branches).toHaveLength(1);
      expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
      expect(nodes[1]?.content).toBe(text);
      expect(calls.map(({ status: each, errorCode }) => [each, errorCode])).toEqual([
        ['error', 'overloaded'],
        ['error', 'overloaded'],
        ['complete', null],
        ['complete', null],
      ]);
      for (const [at, call] of calls.entries())
        expect(await rebuildBody(store, project, call, 'came')).toBe(client.bodies[at]);
    });
  });

  it('GW-29: what came before the connection broke is kept, and the client’s next message goes on', async () => {
    const stage = await startStage();
    const client = miniClient('anthropic-messages', stage.at, { headers: CLAUDE_CODE('broken'), tools: ['ls'] });
    await client.say('/sim fault cut 9 x1').catch(() => undefined);
    const { headers } = await client.say('Are you there?');
    const project = projectId(headers.get('x-bough-project') ?? '');
    await inStore(stage, 'files', async (store) => {
      const graph = await store.graph(project);
      expect(graph.nodes.some(({ interrupted, isError }) => interrupted || isError)).toBe(true);
      expect(await store.openTurns(project)).toEqual([]);
    });
  });

  it('GW-32: an unknown project is told in the words of the protocol; a known one takes the conversation', async () => {
    const stage = await startStage();
    const { project } = await stage.server.client.createProject({ name: 'Mine' });
    const into = (id: string) => miniClient('openai-chat', (provider) => stage.at(`in/${id}/${provider}`));
    const refused = await into('nowhere').say('Hello?');
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      404,
      { error: { message: expect.stringContaining('nowhere') } },
    ]);
    const taken = await into(project.id).say('Hello?');
    expect([taken.status, taken.headers.get('x-bough-project')]).toEqual([200, project.id]);
    await inStore(stage, 'files', async (store) => {
      expect((await store.graph(projectId(project.id))).nodes).toHaveLength(2);
    });
  });
});
