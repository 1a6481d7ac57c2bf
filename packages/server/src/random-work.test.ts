import { canonicalBlocks } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import { formatReport, openFilesStore, verifyStore } from '@bough/store';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, startTestServer } from './testing/start.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

const PROVIDERS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'];
const WISHES = [
  '',
  '/sim think 2',
  '/sim redacted 1',
  '/sim tools calculator',
  '/sim tools calculator current_time x2',
  '/sim tools steps 2',
  '/sim unicode',
  '/sim unknown',
  '/sim empty',
  '/sim max_tokens',
  '/sim refuse',
];
const SYSTEM_PROMPTS = [null, 'Be brief.', 'Antworte auf Deutsch.'];

/** Deterministic: a seed that failed fails again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The messages of a request, whatever its protocol calls them. */
function messagesOf(body: string): readonly unknown[] {
  const request = JSON.parse(body) as { messages?: unknown[]; input?: unknown[]; contents?: unknown[] };
  return request.messages ?? request.input ?? request.contents ?? [];
}

/** One random life of a project. Whatever a person could do, in any order. */
async function live(seed: number, steps: number): Promise<void> {
  const random = randomFrom(seed);
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[random(values.length)];
    if (value === undefined) throw new Error('There is nothing to pick from.');
    return value;
  };
  const { client } = server;
  const { project } = await client.createProject({ provider: pick(PROVIDERS), tools: ['calculator', 'current_time'] });
  const id = project.id;
  const said: string[] = [];
  const context = (what: string): string => `seed ${seed}, step ${said.length}: ${what}`;

  const expectAnswer = async (response: Response, what: string, mayFail = false): Promise<void> => {
    const lines = await allLines(response);
    const errors = lines.filter((line) => line.type === 'error');
    const allowed = mayFail ? ['complete', 'interrupted', 'error'] : ['complete', 'interrupted'];
    expect(allowed, context(`${what} ${JSON.stringify(errors)}`)).toContain(endOf(lines).status);
    expect(
      errors.map((line) => line.code),
      context(what),
    ).not.toContain('history_rejected');
  };

  for (let step = 0; step < steps; step += 1) {
    const { branches } = await client.listBranches(id);
    const branch = pick(branches);
    const { groups } = await client.history(id, { ref: branch.name });
    const nodes = groups.flatMap((group) => [...(group.user === null ? [] : [group.user]), ...group.reply]);
    const users = groups.flatMap((group) => (group.user === null ? [] : [group.user]));
    const replies = nodes.filter((node) => node.role === 'assistant' && !node.isError);
    const action = random(12);
    if (action <= 4 || nodes.length === 0) {
      const message = `Step ${step} ${pick(WISHES)}`;
      said.push(message);
      const planned = await client.context(id, { ref: branch.name, message });
      expect(
        planned.violations.filter((violation) => !violation.repaired),
        context('preflight'),
      ).toEqual([]);
      await expectAnswer(await client.chat(id, { ref: branch.name, message }), `chat on ${branch.provider}`);
      const after = await client.context(id, { ref: branch.name, message: 'probe' });
      const reply = (await client.history(id, { ref: branch.name })).groups.at(-1)?.reply ?? [];
      // A reply without words is not sent back, and the message before it is joined with the next one.
      if (reply.some((node) => node.role === 'assistant' && node.content.trim() !== '')) {
        const sent = messagesOf(planned.request.body);
        expect(messagesOf(after.request.body).slice(0, sent.length), context('the prefix is stable')).toEqual(sent);
      }
    } else if (action === 5) {
      const message = `Step ${step} cut /sim long 2000 /sim fault cut ${3 + random(40)}`;
      said.push(message);
      await expectAnswer(await client.chat(id, { ref: branch.name, message }), 'cut', true);
    } else if (action === 6) {
      const message = `Step ${step} stop /sim slow 3 /sim long 3000`;
      said.push(message);
      const response = await client.chat(id, { ref: branch.name, message });
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await client
        .interrupt(id, { ref: branch.name })
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'no_running_turn' }));
      await expectAnswer(response, 'interrupted', true);
    } else if (action === 7 && users.length > 0) {
      const user = pick(users);
      said.push('edit');
      await expectAnswer(
        await client.edit(id, { nodeId: user.id, content: `Edited at ${step} ${pick(WISHES)}`, ref: branch.name }),
        'edit',
      );
    } else if (action === 8) {
      said.push('regenerate');
      const { turns } = await client.regenerate(id, { ref: branch.name, n: 1 + random(2) });
      for (const { turnId } of turns) await expectAnswer(await client.turnStream(id, turnId, 0), 'regenerate', true);
    } else if (action === 9) {
      said.push('fork');
      await client.createBranch(id, {
        fromRef: branch.name,
        fromNodeId: pick(nodes).id,
        ...(random(2) === 0 ? {} : { provider: pick(PROVIDERS) }),
        ...(random(3) === 0 ? { systemPrompt: pick(SYSTEM_PROMPTS) } : {}),
        ...(random(3) === 0 ? { tools: pick([['calculator'], [], ['calculator', 'current_time']]) } : {}),
        ...(random(3) === 0 ? { thinking: pick(['off', 'low', 'high'] as const) } : {}),
      });
    } else if (action === 10 && replies.length > 0) {
      const reply = pick(replies);
      said.push('include');
      if (reply.thinking !== null) await client.setThinking(id, reply.id, !reply.includeThinkingInContext);
    } else if (action === 11 && nodes.length > 4) {
      said.push('delete');
      await client.deleteNode(id, pick(nodes.slice(2)).id, pick(['cascade', 'reparent'] as const));
    }
  }

  // Nothing is lost: every message sent and not deleted is still on its branch, and every branch still works.
  for (const branch of (await client.listBranches(id)).branches) {
    await expectAnswer(
      await client.chat(id, { ref: branch.name, message: 'A last word, please.' }),
      `the end of ${branch.name} on ${branch.provider}`,
      true,
    );
  }
}

describe('random work', () => {
  const lives = Number(process.env['BOUGH_RANDOM_LIVES'] ?? 6);

  it.each(Array.from({ length: lives }, (_, index) => [index + 1]))(
    'EN-28: life %d: no provider says no, nothing is stuck, preflight is clean',
    async (seed) => {
      await live(seed, 25);
      expect((await server.client.diagnostics()).rejections).toBe(0);
      expect(server.logged().filter((line) => line.includes('"problem"'))).toEqual([]);
    },
  );

  it('EN-28: the store that all of this left behind verifies clean, blocks against raw included', async () => {
    await server.stop();
    const store = await openFilesStore({ directory: join(server.dataDir, 'files') });
    try {
      const report = await verifyStore(store, {
        blocksOfRaw: (raw) => canonicalBlocks(buildContentBlocksForProvider(raw)).blocks,
      });
      // Warnings reflect what people did: a deleted result, a stopped turn.
      expect(
        report.findings.filter((finding) => finding.severity === 'error'),
        formatReport(report),
      ).toEqual([]);
      expect(report.checked.nodes).toBeGreaterThan(50);
    } finally {
      await store.close();
    }
  });
});
