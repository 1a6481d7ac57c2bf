import type { Client } from '@bough/api';
import { createClient, readLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { estimateTokens } from '@bough/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config/index.ts';
import { createLog } from '../log.ts';
import { startProgram } from '../program.ts';

export interface LongConversation {
  readonly turns: number;
  /** In tokens: the model's whole window. */
  readonly window: number;
  /** The turns before which older ones were summarised. */
  readonly compactedAt: readonly number[];
  /** All messages and replies, in windows; estimated. */
  readonly windows: number;
  /** The facts that were asked for at the end, by the turn that told them, and whether the model still knew them. */
  readonly asked: readonly { readonly turn: number; readonly isKnown: boolean }[];
  /** Whether the pinned first message still goes out as it was written. */
  readonly keepsPinned: boolean;
  /** Requests that the simulator refused. */
  readonly refusals: number;
  /** Messages that were left out instead of summarised. */
  readonly trimmed: number;
  /** The next request. */
  readonly tokens: number;
  /** Milliseconds from a message to the end of its reply, each the median of that part of the conversation. */
  readonly medians: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
}

const MODEL = { provider: 'simulated', model: 'sim-bound' } as const;
const FILLER = 'Lorem ipsum dolor sit amet. '.repeat(8);
/** How many parts of the conversation are timed. */
const PARTS = 8;
/** How many facts of each window are asked for. */
const PER_WINDOW = 3;

/**
 * The real program on the simulator, which knows only what it is sent: a conversation that fills its window several
 * times and is summarised by itself. Every turn tells a fact; the first message is pinned.
 */
export async function holdLongConversation(
  turns: number,
  window: number,
  progress: (line: string) => void,
): Promise<LongConversation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-long-'));
  const models = [{ id: MODEL.model, window, maxOutput: Math.floor(window / 8) }];
  await writeFile(join(dataDir, 'bough.config.json'), JSON.stringify({ providers: { simulated: { models } } }));
  const variables = {
    PORT: '0',
    BOUGH_STORE: 'files',
    BOUGH_DATA_DIR: dataDir,
    BOUGH_SIMULATOR_PACE_MS: '0',
    BOUGH_GRACE_MS: '0',
  };
  const log = createLog(
    () => undefined,
    () => new Date(),
  );
  const program = await startProgram(readConfig(variables, dataDir), variables, log);
  try {
    return await hold(createClient({ baseUrl: program.url }), turns, window, progress);
  } finally {
    await program.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function hold(
  client: Client,
  turns: number,
  window: number,
  progress: (line: string) => void,
): Promise<LongConversation> {
  const { project } = await client.createProject(MODEL);
  const { id } = project;
  await client.updateBranch(id, 'main', { compacting: { mode: 'on', share: 0.8 } });
  const compactedAt: number[] = [];
  const times: number[] = [];
  let said = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const started = performance.now();
    const message = `fact f${turn} is v${turn}x. ${FILLER}`;
    const lines = await say(client, id, message);
    times.push(performance.now() - started);
    said += estimateTokens(message) + estimateTokens(textOf(lines));
    for (const line of lines) {
      if (line.type !== 'notice') continue;
      if (line.code !== 'compacted') throw new Error(`Turn ${turn}: ${line.message}`);
      compactedAt.push(turn);
      progress(`turn ${turn}: compacted`);
    }
    if (turn === 0) {
      const first = lines.find((line) => line.type === 'turn');
      await client.updateBranch(id, 'main', { choices: { [first?.userNodeId ?? '']: 'pin' } });
    }
    if ((turn + 1) % 100 === 0) progress(`${turn + 1} turns, ${median(times.slice(-100)).toFixed(0)} ms each`);
  }
  const { report, estimatedTokens } = await client.context(id, { ref: 'main' });
  const asked = [];
  for (const turn of factsToAsk(compactedAt, turns)) {
    const lines = await say(client, id, `/sim recall f${turn}`);
    asked.push({ turn, isKnown: textOf(lines).includes(`v${turn}x`) });
  }
  return {
    turns,
    window,
    compactedAt,
    windows: said / window,
    asked,
    keepsPinned: report[0]?.fidelity === 'verbatim',
    refusals: (await client.diagnostics()).rejections,
    trimmed: report.filter(({ reasons }) => reasons.includes('trimmed')).length,
    tokens: estimatedTokens,
    medians: partsOf(times),
  };
}

/** The first, the middle and the last turn of each stretch between two summaries. */
function factsToAsk(compactedAt: readonly number[], turns: number): readonly number[] {
  const ends = [...compactedAt, turns];
  const asked = ends.flatMap((end, index) => {
    const start = ends[index - 1] ?? 0;
    const step = (end - 1 - start) / (PER_WINDOW - 1);
    return Array.from({ length: PER_WINDOW }, (_, at) => Math.round(start + at * step));
  });
  return [...new Set(asked)];
}

function partsOf(times: readonly number[]): LongConversation['medians'] {
  const size = Math.ceil(times.length / PARTS);
  return Array.from({ length: Math.ceil(times.length / size) }, (_, part) => {
    const of = times.slice(part * size, (part + 1) * size);
    return { from: part * size, to: part * size + of.length, ms: median(of) };
  });
}

function textOf(lines: readonly StreamLine[]): string {
  return lines.map((line) => (line.type === 'text' ? line.content : '')).join('');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function say(client: Client, id: string, message: string): Promise<readonly StreamLine[]> {
  const response = await client.chat(id, { ref: 'main', message });
  const lines: StreamLine[] = [];
  if (response.body !== null)
    for await (const line of readLines(response.body)) if (line.type !== 'heartbeat') lines.push(line);
  const last = lines.at(-1);
  if (last?.type !== 'done' || last.status !== 'complete') throw new Error(`No reply: ${JSON.stringify(last)}`);
  return lines;
}
