import type { BranchView, Client, ContextReport } from '@bough/api';
import { ApiError } from '@bough/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

/** Windows that are soon full, so that summaries are made by themselves, too. */
const SEATS = [
  { provider: 'simulated', model: 'sim-bound', window: 6_000 },
  { provider: 'simulated', model: 'sim-thinker', window: 6_000 },
  { provider: 'simulated_responses', model: 'sim-summary', window: 6_000 },
  { provider: 'simulated_chat', model: 'sim-thinker', window: 6_000 },
  { provider: 'simulated_gemini', model: 'sim-summary', window: 6_000 },
] as const;

const providers = Object.fromEntries(
  [...new Set(SEATS.map(({ provider }) => provider))].map((provider) => [
    provider,
    {
      models: SEATS.filter((seat) => seat.provider === provider).map(({ model: id, window }) => ({
        id,
        window,
        maxOutput: 600,
      })),
    },
  ]),
);

/** Deterministic: a seed that failed fails again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Report = ContextReport['report'];

const goesBack = (report: Report): ReadonlySet<string> =>
  new Set(report.flatMap(({ nodeId, reasoning }) => (reasoning === 'goes_back' ? [nodeId] : [])));

/** Replies that are still sent, and whose reasoning is not any more. */
function lostBetween(before: Report, after: Report): readonly string[] {
  const now = goesBack(after);
  const sent = new Set(after.flatMap(({ nodeId, fidelity }) => (fidelity === 'dropped' ? [] : [nodeId])));
  return [...goesBack(before)].filter((id) => sent.has(id) && !now.has(id)).toSorted();
}

/** Everything in a request that comes before the settings, in order. */
function conversationOf(body: string): readonly unknown[] {
  const request = JSON.parse(body) as { messages?: unknown[]; input?: unknown[]; contents?: unknown[] };
  return request.messages ?? request.input ?? request.contents ?? [];
}

class LongLife {
  readonly #client: Client;
  readonly #random: (below: number) => number;
  readonly #done: string[];
  #id = '';
  #pinned = 0;

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#random = randomFrom(seed);
    this.#done = [`seed ${seed}`];
  }

  #pick<Value>(values: readonly Value[]): Value {
    const value = values[this.#random(values.length)];
    if (value === undefined) throw new Error('There is nothing to pick from.');
    return value;
  }

  get #told(): string {
    return this.#done.join('; ');
  }

  async live(steps: number): Promise<readonly string[]> {
    const { provider, model } = this.#pick(SEATS);
    const { project } = await this.#client.createProject({ provider, model, tools: ['calculator'] });
    this.#id = project.id;
    await this.#client.updateBranch(project.id, 'main', { compacting: { mode: 'on', share: 0.7 } });
    for (let step = 0; step < steps; step += 1) await this.#step();
    for (const { name } of (await this.#client.listBranches(project.id)).branches) await this.#say(name, 'A last word');
    return this.#done;
  }

  async #step(): Promise<void> {
    const branch = this.#pick((await this.#client.listBranches(this.#id)).branches);
    const nodes = await this.#nodes(branch.name);
    const action = this.#random(16);
    if (action <= 6 || nodes.length < 3)
      return this.#say(
        branch.name,
        this.#pick([
          'fact sea is deep',
          `What then? ${'Lorem ipsum dolor. '.repeat(this.#random(120))}`,
          '/sim tools calculator',
          '/sim tools steps 2',
          '/sim think 2',
          '/sim redacted 1',
          '/sim unicode',
        ]),
      );
    if (action <= 9) return this.#choose(branch, nodes);
    if (action <= 12) return this.#compact(branch, this.#pick(nodes));
    if (action === 13) return this.#takeBack(branch);
    return this.#fork(branch, this.#pick(nodes));
  }

  async #nodes(ref: string): Promise<readonly string[]> {
    const { groups } = await this.#client.history(this.#id, { ref, limit: 200 });
    // Instructions are neither left out nor pinned.
    const said = groups.flatMap(({ user, reply }) => [...(user === null ? [] : [user]), ...reply]);
    return said.filter(({ role }) => role !== 'system').map(({ id }) => id);
  }

  /** What was shown before is what is sent, and what is sent next begins with it. */
  async #say(ref: string, message: string): Promise<void> {
    this.#done.push(`say on ${ref}: ${message.slice(0, 30)}`);
    const planned = await this.#client.context(this.#id, { ref, message });
    const broken = planned.violations.filter(({ repaired }) => !repaired);
    expect(broken, this.#told).toEqual([]);
    const lines = await say(this.#client, this.#id, ref, message);
    const errors = lines.filter(({ type }) => type === 'error');
    expect([endOf(lines).status, errors], this.#told).toEqual(['complete', []]);
    const notices = lines.flatMap((line) => (line.type === 'notice' ? [line.code] : []));
    expect(notices, this.#told).not.toContain('compaction_failed');
    this.#done.push(...notices);
    const after = await this.#client.context(this.#id, { ref, message: 'probe' });
    const isSame = !notices.includes('compacted') && !changesRoom(planned.report, after.report);
    const sent = conversationOf(planned.request.body);
    if (isSame) expect(conversationOf(after.request.body).slice(0, sent.length), this.#told).toEqual(sent);
  }

  /** The preview tells exactly what the choice then changes. */
  async #choose(branch: BranchView, nodes: readonly string[]): Promise<void> {
    const many = 1 + this.#random(3);
    const ids = [...new Set(Array.from({ length: many }, () => this.#pick(nodes)))];
    const choice = this.#pick(['leave_out', 'leave_out', 'pin', null] as const);
    if (choice === 'pin' && (this.#pinned += ids.length) > 4) return;
    const choices = Object.fromEntries(ids.map((id) => [id, choice]));
    this.#done.push(`choose on ${branch.name}: ${choice} ${ids.join(' ')}`);
    const before = await this.#client.contextReport(this.#id, { ref: branch.name, message: 'probe' });
    const { effect } = await this.#client.contextReport(this.#id, { ref: branch.name, message: 'probe', choices });
    await this.#client.updateBranch(this.#id, branch.name, { choices });
    const after = await this.#client.contextReport(this.#id, { ref: branch.name, message: 'probe' });
    expect(before.estimatedTokens - after.estimatedTokens, this.#told).toBe(effect?.savedTokens);
    expect(effect?.lostReasoning.toSorted(), this.#told).toEqual(lostBetween(before.report, after.report));
  }

  /** So does that of a summary; what it did not tell is not lost. */
  async #compact(branch: BranchView, upTo: string): Promise<void> {
    this.#done.push(`compact ${branch.name} up to ${upTo}`);
    try {
      const preview = await this.#client.compaction(this.#id, { ref: branch.name, upTo });
      if (preview.unread > 0) return;
      const before = await this.#client.contextReport(this.#id, { ref: branch.name, message: 'probe' });
      const made = await this.#client.compact(this.#id, { ref: branch.name, upTo });
      const after = await this.#client.contextReport(this.#id, { ref: made.branch.name, message: 'probe' });
      expect(lostBetween(before.report, after.report), this.#told).toEqual(preview.lostReasoning.toSorted());
      const pinned = after.report.filter(({ nodeId }) => preview.pinned.includes(nodeId));
      expect(
        pinned.flatMap(({ reasons }) => reasons),
        this.#told,
      ).not.toContain('compacted');
      const old = await this.#client.contextReport(this.#id, { ref: branch.name, message: 'probe' });
      expect(old.report, this.#told).toEqual(before.report);
      this.#done.push(`made ${made.branch.name} by ${preview.by}`);
    } catch (error) {
      if (!(error instanceof ApiError) || !REFUSALS.has(error.code)) throw error;
      this.#done.push(error.code);
    }
  }

  async #takeBack(branch: BranchView): Promise<void> {
    this.#done.push(`take back on ${branch.name}`);
    const summaries = (branch.summaries ?? []).slice(0, -1);
    await this.#client.updateBranch(this.#id, branch.name, { summaries });
  }

  async #fork(branch: BranchView, fromNodeId: string): Promise<void> {
    const { provider, model } = this.#pick(SEATS);
    const isSwitch = this.#random(2) === 0;
    const { branch: forked } = await this.#client.createBranch(this.#id, {
      fromRef: branch.name,
      fromNodeId,
      ...(isSwitch ? { provider, model } : {}),
      ...(this.#random(4) === 0 ? { systemPrompt: 'Be brief.' } : {}),
      ...(this.#random(4) === 0 ? { tools: [] } : {}),
    });
    this.#done.push(`fork ${branch.name} at ${fromNodeId} as ${forked.name} on ${forked.provider}/${forked.model}`);
  }
}

/** There is nothing to summarise, or a summary is there. */
const REFUSALS: ReadonlySet<string> = new Set(['nothing_to_compact', 'already_compacted']);

/** Where the window has no room for everything, what is sent has to change. */
function changesRoom(before: Report, after: Report): boolean {
  const left = (report: Report): number =>
    report.filter(({ reasons }) => reasons.some((reason) => reason === 'trimmed' || reason === 'compacted')).length;
  return left(before) !== left(after);
}

/** Lives that went wrong once: tools that had changed behind a summary cost reasoning that its preview did not tell. */
const FOUND = [5019];

describe.each(['files', 'postgres'])('random long conversations on %s', (store) => {
  const lives = Number(process.env['BOUGH_LONG_LIVES'] ?? 3);
  const first = Number(process.env['BOUGH_LONG_SEED'] ?? (store === 'files' ? 1 : 101));
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ BOUGH_STORE: store }, { providers });
  });
  afterAll(() => server.dispose());

  it.each([...FOUND, ...Array.from({ length: lives }, (_, index) => first + index)])(
    'EN-751: life %d: nothing is refused, and what a choice or a summary loses was told before',
    async (seed) => {
      await new LongLife(server.client, seed).live(24);
      expect((await server.client.diagnostics()).rejections).toBe(0);
      expect(server.logged().filter((line) => line.includes('"problem"'))).toEqual([]);
    },
  );
});
