import type { ProtocolId } from '@bough/core';
import { expect, it } from 'vitest';
import { endOf, say } from '../testing/start.ts';
import { DIALECTS, miniClient } from './client.ts';
import { startStage } from './testing.ts';

const PROTOCOLS = Object.keys(DIALECTS) as readonly ProtocolId[];

/** Where each protocol says which tools there are, and that none may be called. */
const SWITCHED_OFF: Readonly<Record<ProtocolId, object>> = {
  'anthropic-messages': { tools: [{ name: 'ls' }], tool_choice: { type: 'none' } },
  'openai-responses': { tools: [{ type: 'function', name: 'ls' }], tool_choice: 'none' },
  'openai-chat': { tools: [{ type: 'function', function: { name: 'ls' } }], tool_choice: 'none' },
  gemini: {
    tools: [{ functionDeclarations: [{ name: 'ls' }] }],
    toolConfig: { functionCallingConfig: { mode: 'NONE' } },
  },
};

it.each(PROTOCOLS)(
  'GW-200: %s: any recorded message can be continued here: the client’s tools are sent, and calls are switched off',
  async (protocol) => {
    const { server, tee, at } = await startStage();
    const { client: api } = server;
    const client = miniClient(protocol, at, { tools: ['ls'], system: 'You help.' });
    const { headers } = await client.say('Look. /sim tools ls');
    expect((await client.answer('a.ts')).status).toBe(200);
    const project = headers.get('x-bough-project') ?? '';
    const { groups } = await api.history(project, { ref: 'main' });
    const nodes = groups.flatMap(({ user, reply }) => [...(user === null ? [] : [user]), ...reply]);
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    // From the answer, from the results of its tools, and from a call that nobody answered.
    for (const node of nodes.slice(1).toReversed()) {
      const { branch } = await api.createBranch(project, { fromNodeId: node.id });
      expect(branch).toMatchObject({ provider: DIALECTS[protocol].provider, model: 'sim-thinker', tools: [] });
      expect(branch.recorded).toBeUndefined();
      const lines = await say(api, project, branch.name, 'And now? /sim tools ls');
      expect(endOf(lines), node.role).toMatchObject({ status: 'complete' });
      expect(lines.filter(({ type }) => type === 'tool_call')).toEqual([]);
      const sent = tee.seen().at(-1);
      expect([sent?.status(), JSON.parse(sent?.sent.toString() ?? '{}')]).toMatchObject([200, SWITCHED_OFF[protocol]]);
    }
    expect(tee.seen().filter(({ status }) => status() !== 200)).toEqual([]);
  },
);

it('EN-210: a branch that gets tools of its own may call those; a call of the client’s tools is told that nobody runs it', async () => {
  const { server, tee, at } = await startStage();
  const { client: api } = server;
  const client = miniClient('anthropic-messages', at, { tools: ['ls', 'calculator'] });
  const { headers } = await client.say('Hello');
  const project = headers.get('x-bough-project') ?? '';
  const { branch } = await api.createBranch(project, { fromRef: 'main', tools: ['calculator'] });
  const own = await say(api, project, branch.name, 'Count. /sim tools calculator');
  expect([endOf(own).status, own.filter(({ type }) => type === 'tool_call').length]).toEqual(['complete', 1]);
  const foreign = await say(api, project, branch.name, 'Look. /sim tools ls');
  expect(foreign.find(({ type }) => type === 'tool_result')).toMatchObject({ isError: true });
  const sent = JSON.parse(tee.seen().at(-1)?.sent.toString() ?? '{}') as { tools: { name: string }[] };
  expect(sent.tools.map(({ name }) => name)).toEqual(['ls', 'calculator']);
  expect(sent).not.toMatchObject({ tool_choice: { type: 'none' } });
});
