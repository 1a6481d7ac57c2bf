import { projectId } from '@bough/core';
import { openFilesStore } from '@bough/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { miniClient } from './client.ts';
import { openModes } from './modes.ts';
import type { GatewayStage } from './testing.ts';
import { startStage } from './testing.ts';

const CLAUDE_CODE = (session: string): Readonly<Record<string, string>> => ({
  'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)',
  'x-claude-code-session-id': session,
});

/** A conversation with a tool whose client loses the signed thinking of the reply that it gives back. */
async function damagedConversation(stage: GatewayStage, session: string) {
  const headers = CLAUDE_CODE(session);
  const client = miniClient('anthropic-messages', stage.at, { headers, tools: ['ls'], system: 'You help.' });
  const first = await client.say('Look. /sim tools ls');
  const messages = client.messages.map((message) => {
    const { content } = message as { content: { type: string }[] };
    return { ...message, content: content.filter(({ type }) => type !== 'thinking') };
  });
  const results = first.calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'a.ts' }));
  const sent = JSON.parse(client.bodies[0] ?? '{}') as object;
  const body = JSON.stringify({ ...sent, messages: [...messages, { role: 'user', content: results }] });
  const response = await fetch(`${stage.at('anthropic')}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body,
  });
  expect([response.status, response.headers.get('x-bough-repairs')], await response.text()).toEqual([200, 'restored']);
  const project = first.headers.get('x-bough-project') ?? '';
  const { groups } = await stage.server.client.history(project, { ref: 'main' });
  return { project, turn: groups[0]?.turnId ?? '', first: client.bodies[0] ?? '', second: body };
}

describe('what came and what left', () => {
  it('SV-160: each call of a client says who sent it, what was changed in it and why, with both bodies to the byte', async () => {
    const stage = await startStage();
    const api = stage.server.client;
    const { project, turn, first, second } = await damagedConversation(stage, 'damaged');
    const { calls } = await api.exchanges(project, turn);
    expect(calls).toMatchObject([
      { client: 'claude-code/2.1.325', session: 'damaged', mode: 'repair', changed: false, repairs: [] },
      { protocol: 'anthropic-messages', path: '/v1/messages', changed: true, repairs: [{ rule: 'restored', at: '1' }] },
    ]);
    const [intact, mended] = [calls[0]?.id ?? '', calls[1]?.id ?? ''];
    const bodyOf = async (call: string, of: 'came' | 'sent') =>
      (await fetch(api.exchangeBodyUrl(project, turn, call, of))).text();
    expect([await bodyOf(intact, 'came'), await bodyOf(intact, 'sent')]).toEqual([first, first]);
    const left = stage.tee.seen().at(-1)?.sent.toString();
    expect([await bodyOf(mended, 'came'), await bodyOf(mended, 'sent')]).toEqual([second, left]);

    const plain = await api.exchange(project, turn, intact);
    expect(plain).toMatchObject({ came: { text: first, whole: true }, sent: null, difference: null });
    expect(plain).toMatchObject({
      askedModel: 'sim-thinker',
      previousCallId: null,
      cache: { cause: { kind: 'first' } },
    });
    const explained = await api.exchange(project, turn, mended);
    expect(explained).toMatchObject({
      previousCallId: intact,
      sent: { text: left },
      cache: { cause: { kind: 'short' } },
    });
    const added = explained.difference?.lines.flatMap((line) => (line.kind === 'added' ? [line.text] : [])) ?? [];
    expect(added.some((line) => line.includes('"type": "thinking"'))).toBe(true);
  });

  it('SV-160: a long body is shown in part and downloaded whole; what is gone, or was made here, says so', async () => {
    const stage = await startStage();
    const api = stage.server.client;
    const long = miniClient('openai-chat', stage.at);
    const { headers } = await long.say(`A long story. ${'word '.repeat(60_000)}`);
    const project = headers.get('x-bough-project') ?? '';
    const { groups } = await api.history(project, { ref: 'main' });
    const turn = groups[0]?.turnId ?? '';
    const [call] = (await api.exchanges(project, turn)).calls;
    const { came } = await api.exchange(project, turn, call?.id ?? '');
    expect([came?.whole, came?.text.length, came?.characters]).toEqual([false, 200_000, long.bodies[0]?.length]);
    const whole = await fetch(api.exchangeBodyUrl(project, turn, call?.id ?? '', 'came'));
    expect(whole.headers.get('content-disposition')).toContain('attachment');
    expect(await whole.text()).toBe(long.bodies[0]);

    await expect(api.exchange(project, turn, 'nothing')).rejects.toMatchObject({ status: 404 });
    const { branch } = await api.createBranch(project, { fromRef: 'main' });
    const lines = await (await api.chat(project, { ref: branch.name, message: 'Go on.' })).text();
    const own = (JSON.parse(lines.split('\n')[0] ?? '{}') as { turnId: string }).turnId;
    expect(await api.exchanges(project, own)).toEqual({ calls: [] });
    const made = (await api.history(project, { ref: branch.name })).groups.at(-1)?.calls[0]?.id ?? '';
    await expect(api.exchange(project, own, made)).rejects.toMatchObject({ status: 404, code: 'not_recorded' });
  });

  it('SV-160: a miss of the provider’s cache names what broke it, and what that cost', async () => {
    const stage = await startStage();
    const api = stage.server.client;
    let usage = {};
    stage.tee.answerWith((_, response) => {
      const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };
      const body = { ...said, model: 'claude-opus-4-6', stop_reason: 'end_turn', usage };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    });
    const MONDAY = 'You help.\nToday is Monday.';
    let messages: object[] = [];
    const explained = async (text: string, system: string, read: number, written: number) => {
      usage = {
        input_tokens: 10,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 2,
      };
      messages.push({ role: 'user', content: text });
      const response = await fetch(`${stage.at('anthropic')}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-bough-session': 'cache' },
        body: JSON.stringify({
          model: 'claude-opus-4-6',
          max_tokens: 100,
          system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
          messages,
        }),
      });
      expect([response.status, await response.json()]).toMatchObject([200, { id: 'msg_1' }]);
      messages.push({ role: 'assistant', content: 'Yes.' });
      const project = response.headers.get('x-bough-project') ?? '';
      const turn = (await api.gatewaySessions()).sessions[0]?.newestTurnId ?? '';
      const [call] = (await api.exchanges(project, turn)).calls;
      return (await api.exchange(project, turn, call?.id ?? '')).cache;
    };
    expect(await explained('One', MONDAY, 0, 20_000)).toMatchObject({ cause: { kind: 'first' }, savedCost: 0 });
    const hit = await explained('Two', MONDAY, 20_000, 50);
    expect(hit).toMatchObject({ cause: { kind: 'hit' }, isEstimated: false });
    expect(hit.savedCost).toBeGreaterThan(0);
    const miss = await explained('Three', 'You help.\nToday is Tuesday.', 0, 20_100);
    expect(miss).toMatchObject({ cause: { kind: 'system', at: 0 }, lostTokens: 20_060 });
    // Written once more, at more than the price of input, instead of being read at a tenth of it.
    expect(miss.lostCost).toBeGreaterThan((hit.savedCost ?? 0) * 1.2);
    // The person takes back what was said last, and says something else.
    messages = messages.slice(0, 4);
    const edited = await explained('Three, differently', 'You help.\nToday is Tuesday.', 10_000, 10_000);
    expect(edited).toMatchObject({ cause: { kind: 'message', name: 'user', at: 4 }, lostTokens: 10_010 });
    expect((await api.gatewaySessions()).sessions).toMatchObject([
      { requests: 4, branches: 2, cachedInputTokens: 30_000, cacheWriteTokens: 50_150, cost: expect.any(Number) },
    ]);
  });

  it('SV-160: a routed call says what was asked for and who answered', async () => {
    const to = { provider: 'openai_responses', model: 'sim-thinker' };
    const stage = await startStage({}, { gateway: { routes: [{ from: 'anthropic', model: 'claude-*', to }] } });
    const api = stage.server.client;
    expect((await api.gateway()).routes).toEqual([{ from: 'anthropic', model: 'claude-*', to }]);
    const client = miniClient('anthropic-messages', stage.at, { model: 'claude-opus-4-6', tools: ['ls'] });
    const { headers } = await client.say('Hello');
    const project = headers.get('x-bough-project') ?? '';
    const turn = (await api.history(project, { ref: 'main' })).groups[0]?.turnId ?? '';
    const [call] = (await api.exchanges(project, turn)).calls;
    expect(call).toMatchObject({ mode: 'route', protocol: 'anthropic-messages', ...to, changed: true });
    expect(await api.exchange(project, turn, call?.id ?? '')).toMatchObject({ askedModel: 'claude-opus-4-6' });
  });
});

describe('sessions', () => {
  it('SV-161: are listed while they run, the last used first, with client, model, requests, repairs and tokens', async () => {
    const stage = await startStage();
    const api = stage.server.client;
    await api.createProject({ name: 'By hand' });
    const { project, turn } = await damagedConversation(stage, 'one');
    let answered = (): void => undefined;
    const held = new Promise<void>((resolve) => (answered = resolve));
    let isAsked = false;
    stage.tee.answerWith((_, response) => {
      isAsked = true;
      void held.then(() => response.writeHead(529).end('{}'));
      return true;
    });
    const second = miniClient('openai-chat', stage.at, { headers: { 'user-agent': 'my-client/1.0' } });
    const saying = second.say('Are you there?');
    await expect.poll(() => isAsked).toBe(true);
    const { sessions, total } = await api.gatewaySessions();
    expect(total).toBe(2);
    expect(sessions).toMatchObject([
      {
        running: true,
        clients: ['my-client/1.0'],
        models: [{ provider: 'openai', model: 'sim-thinker' }],
        requests: 0,
      },
      {
        projectId: project,
        name: 'Look. /sim tools ls',
        running: false,
        mode: 'repair',
        clients: ['claude-code/2.1.325'],
        models: [{ provider: 'anthropic', model: 'sim-thinker' }],
        requests: 2,
        repaired: 1,
        repairs: [{ rule: 'restored', count: 1 }],
        newestTurnId: turn,
      },
    ]);
    expect(sessions[1]?.inputTokens).toBeGreaterThan(0);
    answered();
    await saying;
    expect((await api.gatewaySessions({ limit: 1, offset: 1 })).sessions.map(({ projectId }) => projectId)).toEqual([
      project,
    ]);
    const listed = (await api.listProjects()).projects;
    expect(listed.filter(({ recorded }) => recorded)).toHaveLength(2);
    expect(listed.find(({ name }) => name === 'By hand')?.recorded).toBe(false);
  });

  it('SV-162: diagnostics count repairs by client, provider and rule, refusals that were mended, and what went unrecorded', async () => {
    const stage = await startStage();
    const api = stage.server.client;
    await damagedConversation(stage, 'counted');
    let isRefused = false;
    stage.tee.answerWith(({ sent }, response) => {
      if (isRefused || !sent.includes('"thinking"')) return false;
      isRefused = true;
      const error = {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
      return true;
    });
    const again = miniClient('anthropic-messages', stage.at, { headers: { 'user-agent': 'other/1' } });
    isRefused = true;
    await again.say('One');
    isRefused = false;
    const { status, headers } = await again.say('Two');
    expect([status, headers.get('x-bough-repairs')]).toEqual([200, 'plainest']);
    const { recorded, repairs, unrecorded } = await api.diagnostics();
    const who = { client: 'claude-code/2.1.325', provider: 'anthropic' };
    expect(recorded).toMatchObject([
      { ...who, model: 'sim-thinker', mode: 'repair', count: 2, repaired: 1 },
      { ...who, client: 'other/1', mode: 'repair', count: 3, repaired: 1 },
    ]);
    expect(repairs).toEqual([
      { ...who, rule: 'restored', status: 'complete', count: 1 },
      { ...who, client: 'other/1', rule: 'plainest', status: 'complete', count: 1 },
    ]);
    expect(unrecorded).toBe(0);
  });

  it('SV-163: a project chooses how requests of clients are treated; that counts more than the file, and survives', async () => {
    const stage = await startStage({}, { gateway: { mode: 'record' } });
    const { client: api, url } = stage.server;
    const { project } = await api.createProject({ name: 'Mine' });
    expect((await api.getProject(project.id)).project.gateway).toEqual({ chosen: null, mode: 'record' });
    await api.updateProject(project.id, { gatewayMode: 'repair' });
    expect((await api.getProject(project.id)).project.gateway).toEqual({ chosen: 'repair', mode: 'repair' });
    await miniClient('anthropic-messages', (provider) => `${url}/gateway/in/${project.id}/${provider}`).say('Hello');
    const modes = async (): Promise<readonly string[]> => {
      const { branches } = await api.getProject(project.id);
      const turns = await Promise.all(
        branches.map(async ({ name }) => (await api.history(project.id, { ref: name })).groups.at(-1)?.turnId ?? ''),
      );
      const found = await Promise.all(
        turns.filter((turn) => turn !== '').map(async (turn) => (await api.exchanges(project.id, turn)).calls),
      );
      return found.flat().map(({ mode }) => mode);
    };
    expect(await modes()).toEqual(['repair']);
    await expect(api.updateProject(project.id, { gatewayMode: 'guess' as never })).rejects.toMatchObject({
      status: 422,
    });
    const again = await stage.server.restart();
    expect((await again.client.getProject(project.id)).project.gateway).toEqual({ chosen: 'repair', mode: 'repair' });
    const { project: changed } = await again.client.updateProject(project.id, { gatewayMode: null });
    expect(changed.gateway).toEqual({ chosen: null, mode: 'record' });
    await again.stop();
  });

  it('SV-163: another server that shares the store hears of the choice', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bough-modes-'));
    const store = await openFilesStore({ directory });
    onTestFinished(async () => {
      await store.close();
      await rm(directory, { recursive: true });
    });
    const fail = (error: unknown): never => {
      throw error;
    };
    const file = { mode: 'record', projects: { filed: { mode: 'repair' } } } as const;
    const [here, there] = [await openModes(store, file, fail), await openModes(store, file, fail)];
    const [own, filed] = [projectId('own'), projectId('filed')];
    expect([here.of(null), here.of(own), here.of(filed)]).toEqual(['record', 'record', 'repair']);
    await Promise.all([here.choose(own, 'repair'), there.choose(filed, 'record')]);
    await expect
      .poll(() => [here.of(own), here.of(filed), there.of(own), there.of(filed)])
      .toEqual(['repair', 'record', 'repair', 'record']);
    await there.choose(own, null);
    await expect.poll(() => [here.chosen(own), here.of(own)]).toEqual([null, 'record']);
    await Promise.all([here.close(), there.close()]);
  });
});
