import type { Client, HistoryView } from '@bough/api';
import { createClient, readLines } from '@bough/api';
import { startSimulator } from '@bough/simulator';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config/index.ts';
import { createLog } from '../log.ts';
import { startProgram } from '../program.ts';

/** What one message of a long conversation was sent with, as the simulator counted it. */
export interface Measured {
  readonly what: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly read: number;
  readonly written: number;
  /** The cost of the input, and what it would have been without a cache, in US dollars. */
  readonly cost: number;
  readonly uncached: number;
}

const PROVIDERS = [
  { provider: 'anthropic', model: 'claude-sonnet-5', other: { provider: 'openai_responses', model: 'gpt-6-sol' } },
  { provider: 'openai_responses', model: 'gpt-6-sol', other: { provider: 'anthropic', model: 'claude-sonnet-5' } },
] as const;

/** A model whose window is smaller than the conversation: it is sent only the newest part. */
const SMALL = { provider: 'anthropic', model: 'claude-sonnet-4-5' } as const;
const SMALL_WINDOW_TOKENS = 200_000;

/** The real program against the simulator: a conversation of about so many tokens, and what people do with it. */
export async function measureCosts(tokens: number, progress: (line: string) => void): Promise<readonly Measured[]> {
  const simulator = await startSimulator({ seed: 'measured costs' });
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-costs-'));
  const variables = {
    PORT: '0',
    BOUGH_STORE: 'files',
    BOUGH_DATA_DIR: dataDir,
    BOUGH_GRACE_MS: '0',
    ANTHROPIC_BASE_URL: simulator.url,
    ANTHROPIC_API_KEY: 'simulated',
    OPENAI_BASE_URL: `${simulator.url}/openai/v1`,
    OPENAI_API_KEY: 'simulated',
  };
  const log = createLog(
    () => undefined,
    () => new Date(),
  );
  const program = await startProgram(readConfig(variables, dataDir), variables, log);
  try {
    const client = createClient({ baseUrl: program.url });
    const measured: Measured[] = [];
    for (const { provider, model, other } of PROVIDERS) {
      progress(`${provider}/${model}`);
      measured.push(...(await measureModel(client, tokens, { provider, model }, other)));
    }
    if (tokens * 2 > SMALL_WINDOW_TOKENS) measured.push(...(await measureTrimming(client, tokens)));
    return measured;
  } finally {
    await program.stop();
    await simulator.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Lock {
  readonly provider: string;
  readonly model: string;
}

const TURN_TOKENS = 2_000;

/** A conversation as another program would have left it: a question, a long answer; again and again. */
async function converse(client: Client, tokens: number, lock: Lock) {
  const { project } = await client.createProject({
    ...lock,
    systemPrompt: `For ${lock.model}. ${prose('instructions', 5_000)}`,
  });
  const turns = Math.max(4, Math.round(tokens / TURN_TOKENS));
  const messages = Array.from({ length: turns }, (_, at) => [
    { role: 'user' as const, content: `Question ${at}. ${prose('question', 150)}` },
    { role: 'assistant' as const, content: `Answer ${at}. ${prose('answer', 1_800)}` },
  ]).flat();
  const { nodes } = await client.appendMessages(project.id, { messages, ref: 'main' });
  return { id: project.id, nodes };
}

/** About so many tokens, as the simulator counts them. */
function prose(word: string, tokens: number): string {
  return `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1))).trimEnd();
}

async function measureModel(client: Client, tokens: number, lock: Lock, other: Lock): Promise<readonly Measured[]> {
  const { id, nodes } = await converse(client, tokens, lock);
  const at = (what: string, ref: string) => send(client, id, ref, what);
  const measured = [await at('the first message', 'main'), await at('the next message', 'main')];
  const { groups } = await client.history(id, { ref: 'main' });
  const asked = groups.at(-2)?.reply.at(-1)?.id ?? '';
  await client.createBranch(id, { name: 'fork', fromRef: 'main', fromNodeId: asked });
  measured.push(await at('a fork one message back', 'fork'));
  const middle = nodes.filter(({ role }) => role === 'assistant').at(Math.floor(nodes.length / 4))?.id ?? '';
  await client.createBranch(id, { name: 'early', fromRef: 'main', fromNodeId: middle });
  measured.push(await at('a fork in the middle of what was imported', 'early'));
  await client.createBranch(id, { name: 'there', fromRef: 'main', ...other });
  measured.push(await at('a switch to another provider', 'there'));
  await client.createBranch(id, { name: 'back', fromRef: 'there', ...lock });
  measured.push(await at('and back', 'back'));
  await client.updateBranch(id, 'main', { choices: { [middle]: 'leave_out' } });
  measured.push(await at('one answer in the middle left out', 'main'));
  measured.push(await at('the message after that', 'main'));
  return [...measured, ...(await measureCompaction(client, id, 'fork'))];
}

/** So many of the newest turns stay as they are when the beginning is summarised. */
const KEPT_TURNS = 10;

/** A summary of everything, one of all but the newest turns, and the messages after each. */
async function measureCompaction(client: Client, id: string, ref: string): Promise<readonly Measured[]> {
  const { groups } = await client.history(id, { ref, limit: 200 });
  const ends = groups.flatMap(({ reply }) => reply.at(-1)?.id ?? []);
  const measured: Measured[] = [];
  for (const [covered, upTo] of [
    ['everything', ends.at(-1)],
    ['all but the last ten turns', ends.at(-1 - Math.min(KEPT_TURNS, ends.length - 2))],
  ] as const) {
    if (upTo === undefined) throw new Error('The conversation has no replies to summarise.');
    const { by } = await client.compaction(id, { ref, upTo });
    const { branch, summaryId } = await client.compact(id, { ref, upTo });
    // The summary is a turn beside the conversation: a branch of its own shows its call.
    const beside = `the summary of ${covered}`;
    await client.createBranch(id, { name: beside, fromNodeId: summaryId });
    const maker = by === 'provider' ? 'the provider’s own' : 'by asking the model';
    measured.push(
      await lastCall(client, id, beside, `the request for a summary of ${covered}, ${maker}`),
      await send(client, id, branch.id, `the first message after the summary of ${covered}`),
      await send(client, id, branch.id, `the second message after the summary of ${covered}`),
    );
  }
  return measured;
}

async function measureTrimming(client: Client, tokens: number): Promise<readonly Measured[]> {
  // Bough counts fewer tokens in such prose than the simulator does.
  const { id } = await converse(client, tokens * 2, SMALL);
  return [
    await send(client, id, 'main', 'twice as long, trimmed to a window of 200 k: the first message'),
    await send(client, id, 'main', 'trimmed: the next message'),
    await send(client, id, 'main', 'trimmed: the one after it'),
  ];
}

async function send(client: Client, id: string, ref: string, what: string): Promise<Measured> {
  const response = await client.chat(id, { ref, message: '/sim say Yes.' });
  let status = 'none';
  if (response.body !== null)
    for await (const line of readLines(response.body)) if (line.type === 'done') ({ status } = line);
  if (status !== 'complete') throw new Error(`${what}: the message was not answered (${status}).`);
  return lastCall(client, id, ref, what);
}

async function lastCall(client: Client, id: string, ref: string, what: string): Promise<Measured> {
  const { groups }: HistoryView = await client.history(id, { ref });
  const call = groups.at(-1)?.calls.at(-1);
  if (call === undefined || call.usage === null || call.money === null)
    throw new Error(`${what}: the call was not counted.`);
  const { inputTokens = 0, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = call.usage;
  const cost = call.money.fresh + call.money.read + call.money.written;
  return { what, model: call.model, inputTokens, read, written, cost, uncached: cost + call.money.saved };
}

/** As rows of a Markdown table. */
export function tableOf(measured: readonly Measured[]): string {
  const count = (value: number): string => value.toLocaleString('en-US');
  const money = (value: number): string => `$${value.toFixed(4)}`;
  const rows = measured.map(({ what, model, inputTokens, read, written, cost, uncached }) => [
    `\`${model}\``,
    what,
    count(inputTokens),
    `${count(read)} (${Math.round((read / inputTokens) * 100)} %)`,
    count(written),
    money(cost),
    money(uncached),
    uncached - cost >= 0 ? money(uncached - cost) : `−${money(cost - uncached)}`,
  ]);
  const head = ['model', 'what is sent', 'input', 'read', 'written', 'input costs', 'without a cache', 'saved'];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at < 2 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
