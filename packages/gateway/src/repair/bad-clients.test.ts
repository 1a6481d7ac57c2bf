import type { NodeId, ProtocolId, RawResponse } from '@bough/core';
import { nodeId, rawPayload } from '@bough/core';
import type { Provider } from '@bough/providers';
import { buildContentBlocksForProvider, createProvider, simulatedDeployments } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBody } from '../dialects/index.ts';
import type { HabitName } from '../testing/habits.ts';
import { HABITS } from '../testing/habits.ts';
import type { Sent } from '../testing/wire-client.ts';
import { createWireClient } from '../testing/wire-client.ts';
import { isReplyMessage } from './elements.ts';
import { FIRM_START, plainestBody, repairBody, replyFirm, requestFirms } from './index.ts';

// The tree that finds the replies of a conversation is tested elsewhere; here they are remembered in order.

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'bad clients' });
});
beforeEach(() => simulator.clearLog());
afterAll(() => simulator.close());

interface Mended {
  readonly url: string;
  readonly repairs: string[];
  readonly changed: { count: number };
  readonly close: () => Promise<void>;
}

/** Mends each request of one conversation on its way to the simulator. */
async function mending(protocol: ProtocolId): Promise<Mended> {
  const deployment = simulatedDeployments(simulator.url).find((candidate) => candidate.protocol === protocol);
  if (deployment === undefined) throw new Error(`The simulator does not speak ${protocol}.`);
  const provider = createProvider(deployment, { key: null });
  const replies: { readonly node: NodeId; readonly raw: RawResponse; readonly firm: string }[] = [];
  const repairs: string[] = [];
  const changed = { count: 0 };
  const server: Server = createServer((incoming, outgoing) => {
    void (async () => {
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      const path = incoming.url ?? '';
      const pathModel = /\/models\/([^:]+):/.exec(path)?.[1];
      const body = readBody(protocol, text, pathModel);
      if (body === null) throw new Error(`not understood: ${text}`);
      const headers = {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': String(incoming.headers['anthropic-beta']),
      };
      const order = body.messages.map((message, at) => (isReplyMessage(message) ? at : -1)).filter((at) => at >= 0);
      const firms = requestFirms(body);
      const newest = order.at(-1);
      const isIntact = newest === undefined || firms[newest] === replies[order.length - 1]?.firm;
      const mended = repairBody({
        body,
        provider,
        headers,
        isIntact,
        nodeOf: (message) => replies[order.indexOf(message)]?.node ?? null,
        rawOf: (node) => replies.find((reply) => reply.node === node)?.raw,
      });
      repairs.push(...(mended?.repairs.map(({ rule, what }) => `${rule}: ${what}`) ?? []));
      if (mended !== null) changed.count += 1;
      const ask = (sent: string): Promise<Response> =>
        fetch(`${simulator.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(protocol === 'anthropic-messages' ? headers : {}) },
          body: sent,
        });
      let sent = mended?.text ?? text;
      let response = await ask(sent);
      if (response.status === 400) {
        const plain = plainestBody({ body, provider, headers });
        repairs.push(`refused: ${await response.clone().text()}`);
        if (plain !== null) response = await ask((sent = plain.text));
      }
      const answer = await response.text();
      if (response.ok) {
        const raw = rawOf(provider, body.model, answer);
        const left = readBody(protocol, sent, pathModel);
        const firm = replyFirm(left === null ? FIRM_START : (requestFirms(left).at(-1) ?? FIRM_START), {
          raw,
          blocks: buildContentBlocksForProvider(raw),
          provider,
          model: body.model,
          tools: body.tools,
        });
        replies.push({ node: nodeId(`reply ${replies.length}`), raw, firm });
      }
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(answer);
    })().catch((error: unknown) => outgoing.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    repairs,
    changed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

function rawOf(provider: Provider, model: string, answer: string): RawResponse {
  const { protocol } = provider.deployment;
  return {
    ...provider.issuer(model),
    api: protocol,
    version: 1,
    capturedAt: '2026-11-16T00:00:00.000Z',
    complete: true,
    payload: rawPayload(protocol, [], answer),
  };
}

const MODELS: Readonly<Record<ProtocolId, readonly string[]>> = {
  'anthropic-messages': ['sim-interleaved', 'sim-thinker'],
  'openai-responses': ['sim-interleaved', 'sim-summary'],
  'openai-chat': ['sim-thinker', 'sim-interleaved'],
  gemini: ['sim-interleaved', 'sim-summary'],
};
const PROTOCOLS = Object.keys(MODELS) as readonly ProtocolId[];
const QUESTIONS = ['What is 2 + 3?', '/sim tools calculator x2 steps 2', 'Why?', '/sim tools calculator', 'Go on.'];

const switches = (habit: HabitName | 'switches models'): habit is 'switches models' => habit === 'switches models';

async function converse(
  url: string,
  protocol: ProtocolId,
  habit: HabitName | 'switches models',
): Promise<readonly Sent[]> {
  const client = createWireClient({
    protocol,
    url,
    models: switches(habit) ? MODELS[protocol] : MODELS[protocol].slice(0, 1),
    habit: HABITS[switches(habit) ? 'good' : habit](protocol),
  });
  for (const question of QUESTIONS) await client.say(question);
  return client.sent;
}

const refusalsOf = (sent: readonly Sent[]): readonly string[] =>
  sent.filter(({ status }) => status !== 200).map(({ status, answer }) => `${status} ${answer}`);

/** Which habits hurt a client that talks to the provider itself. */
const HURT: Readonly<Record<ProtocolId, readonly string[]>> = {
  'anthropic-messages': ['drops thinking', 'drops signatures', 'reorders', 'switches models'],
  'openai-responses': ['drops thinking', 'drops signatures', 'reorders'],
  'openai-chat': ['drops thinking', 're-encodes'],
  gemini: ['drops thinking', 'drops signatures', 'reorders', 'switches models'],
};

describe.each(PROTOCOLS)('clients of %s', (protocol) => {
  it('GW-41: a good client gets no change at all', async () => {
    const gateway = await mending(protocol);
    const sent = await converse(gateway.url, protocol, 'good');
    await gateway.close();
    expect(refusalsOf(sent)).toEqual([]);
    expect(sent.length).toBeGreaterThan(QUESTIONS.length);
    expect(gateway.repairs).toEqual([]);
  });

  it('GW-42: without being mended, most of these conversations get stuck or lose reasoning', async () => {
    const hurt: string[] = [];
    for (const habit of [...(Object.keys(HABITS) as HabitName[]), 'switches models' as const]) {
      simulator.clearLog();
      const sent = await converse(simulator.url, protocol, habit);
      if (simulator.log().some(({ kind }) => kind !== 'accepted') || refusalsOf(sent).length > 0) hurt.push(habit);
    }
    expect(hurt).toEqual(HURT[protocol]);
  });

  it.each([...(Object.keys(HABITS) as HabitName[]), 'switches models' as const])(
    'GW-42: a client that %s is not refused',
    async (habit) => {
      const gateway = await mending(protocol);
      const sent = await converse(gateway.url, protocol, habit);
      await gateway.close();
      expect(refusalsOf(sent)).toEqual([]);
      // Another model cannot read what this one signed: that much is lost by switching.
      const lost = simulator
        .log()
        .filter(({ kind }) => kind !== 'accepted' && !(switches(habit) && kind === 'silent_drop'));
      expect(lost.map(({ kind, rule, detail }) => `${kind} ${rule}: ${detail}`)).toEqual([]);
    },
  );
});
