import type { Client, ContextReport } from '@bough/api';
import { describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, shown, startTestServer } from './testing/start.ts';

/** Every store, and every protocol: one makes summaries itself, of the others the model is asked. */
const WITH = [
  ['files', 'simulated', 'sim-bound'],
  ['git', 'simulated_responses', 'sim-summary'],
  ['postgres', 'simulated_gemini', 'sim-summary'],
  ['files', 'simulated_chat', 'sim-thinker'],
] as const;

async function onServer(env: Record<string, string>, act: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer(env);
  try {
    await act(server);
  } finally {
    await server.dispose();
  }
}

/** With a window that is soon full. */
async function onSmall(act: (server: TestServer) => Promise<void>): Promise<void> {
  const models = [{ id: 'sim-bound', window: 4_000, maxOutput: 600 }];
  const server = await startTestServer({}, { providers: { simulated: { models } } });
  try {
    await act(server);
  } finally {
    await server.dispose();
  }
}

const TALK = ['fact river is Spree', 'fact hill is Brocken, the old one', 'fact lake is Wannsee, in summer', 'More?'];

interface Talk {
  readonly id: string;
  /** The ids of the path, in order. */
  readonly path: readonly string[];
}

async function talk(client: Client, provider: string, model: string, tools: string[] = []): Promise<Talk> {
  const { project } = await client.createProject({ provider, model, systemPrompt: 'Be terse.', tools });
  for (const text of TALK) expect(endOf(await say(client, project.id, 'main', text)).status).toBe('complete');
  const { report } = await client.context(project.id, { ref: 'main' });
  return { id: project.id, path: report.map(({ nodeId }) => nodeId).filter((id) => id !== 'next-message') };
}

const bodyOf = async (client: Client, id: string, ref: string) => (await client.context(id, { ref })).request.body;

/** What the model answers, which knows only what it was sent. */
async function recall(client: Client, id: string, ref: string, name: string): Promise<string> {
  const lines = await say(client, id, ref, `/sim recall ${name}`);
  expect(lines.filter(({ type }) => type === 'error')).toEqual([]);
  expect(endOf(lines).status).toBe('complete');
  return shown(lines, 'text');
}

/** Where the simulator that plays a provider listens. */
async function simulatorOf(client: Client, provider: string): Promise<string> {
  const { providers } = await client.listProviders();
  return new URL(providers.find(({ id }) => id === provider)?.baseUrl ?? '').origin;
}

/** How many replies it spoiled, as it was told to. */
async function faultsOf(origin: string): Promise<number> {
  const log = (await (await fetch(`${origin}/__simulator/log`)).json()) as { readonly counts: { fault: number } };
  return log.counts.fault;
}

describe('summaries in place of the beginning of a conversation', () => {
  it.each(WITH)('EN-333: the summary, then everything behind it, on %s with %s/%s', async (store, provider, model) =>
    onServer({ BOUGH_STORE: store }, async ({ client }) => {
      const { id, path } = await talk(client, provider, model);
      const before = await bodyOf(client, id, 'main');
      const upTo = path[2] ?? '';
      const preview = await client.compaction(id, { ref: 'main', upTo });
      // The range ends with the reply, because a summary never splits a turn.
      expect(preview).toMatchObject({ upTo: path[3], isRounded: true, coveredNodes: 4, coveredTurns: 2, unread: 0 });
      // Thinking that is bound to what precedes it stays bound to what its provider summarised itself.
      expect(preview).toMatchObject({ by: provider === 'simulated' ? 'provider' : 'model', lostReasoning: [] });
      expect(await bodyOf(client, id, 'main')).toBe(before);

      const { branch, summaryId } = await client.compact(id, { ref: 'main', upTo });
      expect(branch).toMatchObject({ name: 'main compacted', tipId: path[7], summaries: [summaryId] });
      // The old branch stays, to the byte.
      expect(await bodyOf(client, id, 'main')).toBe(before);
      const { summary } = await client.summary(id, branch.id);
      expect(summary).toMatchObject({ id: summaryId, upTo: path[3], coveredNodes: 4 });
      expect(summary?.text).toContain('fact river is Spree');

      const { report, request } = await client.context(id, { ref: branch.id });
      expect(report.slice(0, 4).map(({ reasons }) => reasons.join())).toEqual(Array(4).fill('compacted'));
      expect(report.filter(({ fidelity }) => fidelity === 'dropped')).toHaveLength(4);
      expect(request.body).not.toContain('the old one');
      const fates = (lines: ContextReport['report']) =>
        lines.flatMap(({ nodeId, reasoning }) => (nodeId === path[5] || nodeId === path[7] ? [reasoning] : []));
      expect(fates(report)).toEqual(fates((await client.contextReport(id, { ref: 'main' })).report));
      expect(request.body).toContain('in summer');
      // What was asked for the summary is no other version of the message behind it.
      const { groups } = await client.history(id, { ref: branch.id });
      expect(groups.map(({ user }) => user?.siblingIds.length)).toEqual([1, 1, 1, 1]);
      expect(await recall(client, id, branch.id, 'river')).toContain('Spree');
      expect(await recall(client, id, branch.id, 'lake')).toContain('Wannsee');
      // A fork behind it goes on with it, one before it goes on without.
      const behind = await client.createBranch(id, { fromRef: branch.id, fromNodeId: path[5] });
      expect(await bodyOf(client, id, behind.branch.id)).not.toContain('the old one');
      const above = await client.createBranch(id, { fromRef: branch.id, fromNodeId: path[1] });
      const early = await client.context(id, { ref: above.branch.id });
      expect(early.report.flatMap(({ reasons }) => reasons)).not.toContain('compacted');
      expect(early.request.body).not.toContain('It was said');

      // A summary of a summary.
      const again = await client.compact(id, { ref: branch.id });
      expect(again.branch.summaries).toEqual([summaryId, again.summaryId]);
      expect(await recall(client, id, again.branch.id, 'hill')).toContain('Brocken');
      await expect(client.compact(id, { ref: again.branch.id, upTo: path[3] })).rejects.toMatchObject({
        code: 'already_compacted',
      });
      // Taken back, the summary before it counts again; and then none.
      await client.updateBranch(id, again.branch.id, { summaries: [summaryId] });
      expect((await client.summary(id, again.branch.id)).summary?.id).toBe(summaryId);
      await client.updateBranch(id, again.branch.id, { summaries: [] });
      expect(await bodyOf(client, id, again.branch.id)).toContain('the old one');
      expect((await client.diagnostics()).rejections).toBe(0);
    }),
  );

  it.each(['files', 'postgres'])(
    'EN-758: behind a summary of a summary that its provider made, bound reasoning goes back, as was told, on %s',
    async (store) =>
      onServer({ BOUGH_STORE: store }, async ({ client }) => {
        const { id, path } = await talk(client, 'simulated', 'sim-bound');
        const one = await client.compact(id, { ref: 'main', upTo: path[1] });
        const preview = await client.compaction(id, { ref: one.branch.id, upTo: path[3] });
        expect(preview).toMatchObject({ by: 'provider', lostReasoning: [] });
        const { branch } = await client.compact(id, { ref: one.branch.id, upTo: path[3] });
        // Made of the whole path at first, then of what was cached of it.
        for (const text of ['Go on', 'And on']) {
          const { report } = await client.context(id, { ref: branch.id });
          const kept = report.filter(({ nodeId }) => nodeId === path[5] || nodeId === path[7]);
          expect(kept.map(({ reasoning }) => reasoning)).toEqual(['goes_back', 'goes_back']);
          expect(endOf(await say(client, id, branch.id, text)).status).toBe('complete');
        }
        // Without the first summary nobody vouches for what the second was made from.
        await client.updateBranch(id, branch.id, { summaries: branch.summaries?.slice(1) });
        const { report } = await client.context(id, { ref: branch.id });
        const lost = report.filter(({ reasons }) => reasons.includes('thinking_prefix_changed'));
        expect(lost.map(({ nodeId }) => nodeId)).toEqual([path[5], path[7]]);
        expect(endOf(await say(client, id, branch.id, 'And on')).status).toBe('complete');
        expect((await client.diagnostics()).rejections).toBe(0);
      }),
  );

  it('EN-334: pinned messages go along behind the summary, with their turns', async () =>
    onServer({}, async ({ client }) => {
      const { id, path } = await talk(client, 'simulated', 'sim-bound');
      await client.updateBranch(id, 'main', { choices: { [path[2] ?? '']: 'pin' } });
      const preview = await client.compaction(id, { ref: 'main', upTo: path[5] });
      expect(preview).toMatchObject({ pinned: [path[2]], coveredNodes: 6 });
      const { branch } = await client.compact(id, { ref: 'main', upTo: path[5], name: 'short' });
      expect(branch.name).toBe('short');
      const { report } = await client.context(id, { ref: 'short' });
      const sent = report.filter(({ fidelity }) => fidelity !== 'dropped').map(({ nodeId }) => nodeId);
      expect(sent.slice(0, 2)).toEqual([path[2], path[3]]);
      const body = await bodyOf(client, id, 'short');
      expect(body).not.toContain('in summer');
      expect(body.indexOf('It was said')).toBeLessThan(body.indexOf('the old one'));
      expect(body.indexOf('the old one')).toBeLessThan(body.indexOf('More?'));
      // What comes between breaks what is bound, as the preview said.
      const lost = report.filter(({ reasons }) => reasons.includes('thinking_prefix_changed'));
      expect(lost.map(({ nodeId }) => nodeId)).toEqual([path[3], path[7]]);
      expect(preview.lostReasoning).toEqual([path[3], path[7]]);
      expect(endOf(await say(client, id, 'short', 'Go on')).status).toBe('complete');
      expect((await client.diagnostics()).rejections).toBe(0);
    }));

  it('EN-335: a summary that fails, is refused, cut off, empty or a call changes nothing, and says so', async () =>
    onServer({}, async ({ client }) => {
      const { id } = await talk(client, 'simulated_chat', 'sim-thinker', ['calculator']);
      const before = await bodyOf(client, id, 'main');
      const wrong: readonly [string, RegExp][] = [
        ['/sim refuse', /refused/],
        ['/sim max_tokens', /cut off/],
        ['/sim empty', /no text/],
        ['/sim tools calculator', /called a tool/],
        ['/sim fault cut 3', /./],
      ];
      for (const [instruction, why] of wrong) {
        const failing = client.compact(id, { ref: 'main', instruction });
        await expect(failing).rejects.toMatchObject({ code: 'summary_failed', status: 502 });
        await expect(failing).rejects.toThrow(why);
        await expect(failing).rejects.toThrow('Nothing was changed');
      }
      const { branches } = await client.getProject(id);
      expect(branches).toHaveLength(1);
      expect(await bodyOf(client, id, 'main')).toBe(before);
      expect((await client.graph(id)).nodes).toHaveLength(8);
      // What was asked is told, and another instruction works.
      const { branch } = await client.compact(id, { ref: 'main', instruction: 'Be short. /sim summary' });
      expect((await client.summary(id, branch.id)).summary?.instruction).toBe('Be short. /sim summary');
      await expect(client.compact(id, { ref: 'main', upTo: 'nobody' })).rejects.toMatchObject({
        code: 'nothing_to_compact',
      });
    }));

  it('EN-759: who hangs up while it is written changes nothing; the call is recorded', async () =>
    onServer({}, async ({ client }) => {
      const { id } = await talk(client, 'simulated_chat', 'sim-thinker');
      const calls = async () =>
        (await client.costs({ project: id })).rows.reduce((sum, { calls: made }) => sum + made, 0);
      const before = await calls();
      const hangUp = new AbortController();
      // The model falls silent for good: nothing but hanging up ends this.
      const asked = client.compact(id, { ref: 'main', instruction: '/sim fault stall 1' }, hangUp.signal);
      const origin = await simulatorOf(client, 'simulated_chat');
      await expect.poll(() => faultsOf(origin), { timeout: 10_000 }).toBe(1);
      hangUp.abort();
      await expect(asked).rejects.toThrow(/abort/i);
      await expect.poll(calls, { timeout: 10_000 }).toBe(before + 1);
      expect((await client.listBranches(id)).branches).toHaveLength(1);
      await client.compact(id, { ref: 'main' });
    }));

  it('EN-338: where the provider refuses to summarise by itself, its model is asked', async () =>
    onServer({}, async ({ client }) => {
      const { id } = await talk(client, 'simulated', 'sim-bound');
      const instruction = '/sim unsummarised /sim summary';
      const { branch } = await client.compact(id, { ref: 'main', instruction });
      expect((await client.summary(id, branch.id)).summary?.text).toMatch(
        /^Summary\. It was said: fact river is Spree/,
      );
      expect(await recall(client, id, branch.id, 'river')).toContain('Spree');
    }));

  it('EN-336: a full window is summarised before the next reply, which is told; facts and pins outlive it', async () =>
    onSmall(async ({ client }) => {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const { id } = project;
      await client.updateBranch(id, 'main', { compacting: { mode: 'on', share: 0.7 } });
      const codes: string[] = [];
      for (let turn = 0; turn < 30; turn += 1) {
        const lines = await say(client, id, 'main', `fact f${turn} is v${turn}. ${'Lorem ipsum dolor. '.repeat(20)}`);
        expect(endOf(lines).status).toBe('complete');
        codes.push(...lines.flatMap((line) => (line.type === 'notice' ? [line.code] : [])));
        if (turn !== 0) continue;
        const first = lines.find((line) => line.type === 'turn');
        await client.updateBranch(id, 'main', { choices: { [first?.userNodeId ?? '']: 'pin' } });
      }
      expect(codes.filter((code) => code === 'compacted').length).toBeGreaterThanOrEqual(3);
      expect(new Set(codes)).toEqual(new Set(['compacted']));
      const { report } = await client.context(id, { ref: 'main' });
      expect(report.flatMap(({ reasons }) => reasons)).not.toContain('trimmed');
      expect(report[0]).toMatchObject({ fidelity: 'verbatim' });
      for (const name of [0, 9, 18, 26]) expect(await recall(client, id, 'main', `f${name}`)).toContain(`v${name}`);
      expect(await recall(client, id, 'main', 'f99')).toContain('nothing');
      // Taken back, everything is where it was, and is trimmed as before.
      await client.updateBranch(id, 'main', { summaries: [], compacting: { mode: 'off', share: 0.7 } });
      const whole = await client.context(id, { ref: 'main' });
      expect(whole.report.flatMap(({ reasons }) => reasons)).toContain('trimmed');
      expect((await client.diagnostics()).rejections).toBe(0);
    }));

  it('EN-760: a turn that is stopped while its summary is written ends, and says nothing else', async () =>
    onSmall(async ({ client }) => {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const { id } = project;
      for (let turn = 0; turn < 3; turn += 1) await say(client, id, 'main', 'Lorem ipsum dolor. '.repeat(160));
      await client.updateBranch(id, 'main', { compacting: { mode: 'on', share: 0.5 } });
      const origin = await simulatorOf(client, 'simulated');
      await fetch(`${origin}/__simulator/faults`, { method: 'POST', body: JSON.stringify({ fault: 'stall 1 x1' }) });
      const asked = say(client, id, 'main', 'Go on');
      await expect.poll(() => faultsOf(origin), { timeout: 10_000 }).toBe(1);
      await client.interrupt(id, { ref: 'main' });
      const lines = await asked;
      expect(lines.flatMap((line) => (line.type === 'notice' ? [line.code] : []))).toEqual([]);
      expect(endOf(lines).status).toBe('interrupted');
      const again = await say(client, id, 'main', 'Go on');
      expect(again.flatMap((line) => (line.type === 'notice' ? [line.code] : []))).toEqual(['compacted']);
      expect(endOf(again).status).toBe('complete');
    }));

  it('EN-337: by default it is only suggested, and a failed summary costs no reply', async () =>
    onSmall(async ({ client }) => {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const { id } = project;
      const long = 'Lorem ipsum dolor. '.repeat(160);
      const codes = async (text: string) => {
        const lines = await say(client, id, 'main', text);
        expect(endOf(lines).status).toBe('complete');
        return lines.flatMap((line) => (line.type === 'notice' ? [line.code] : []));
      };
      expect(await codes(long)).toEqual([]);
      for (let turn = 0; turn < 4; turn += 1) await codes(long);
      expect(await codes(long)).toEqual(['compaction_suggested']);
      expect((await client.getProject(id)).branches[0]?.summaries).toBeUndefined();
      await client.updateBranch(id, 'main', { compacting: { mode: 'off', share: 0.8 } });
      expect(await codes(long)).toEqual([]);
      expect((await client.diagnostics()).rejections).toBe(0);
    }));
});
