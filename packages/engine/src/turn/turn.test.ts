import type { LineBody, StreamEvent, StreamLine } from '@bough/core';
import { callId, nodeId, projectId, turnId } from '@bough/core';
import type { LogEntry } from '@bough/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../watch/inbox.ts';
import { BatchLines } from './lines.ts';
import type { PublishedEntry } from './log.ts';
import { TurnLog } from './log.ts';
import type { CallStart } from './record.ts';
import { readRecord } from './record.ts';

const turn = { projectId: projectId('p'), turnId: turnId('t') };

/** As providers send them, and as none does. */
const TEXTS: readonly string[] = [
  'event: delta\ndata: {"text":"a \\"quoted\\" word"}\n\n',
  'data: [DONE]\n\n',
  'data: torn he',
  're\n\n',
  '\r\n\n',
  ': a comment with \0\n',
];

const callStart = (id: string): CallStart => ({
  callId: callId(id),
  nodeId: nodeId('n'),
  parentId: nodeId('m'),
  issuer: { provider: 'p', deployment: 'd', model: 'm' },
  api: 'anthropic-messages',
  requestHash: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  madeWith: { prefix: '', previousThinking: null },
  reasoning: 'full',
});

describe('BatchLines', () => {
  it('LN-1: whatever the batches, a client reads the same characters in the same blocks', () => {
    const delta = fc.record({
      type: fc.constantFrom('text' as const, 'thinking' as const),
      index: fc.nat(2),
      text: fc.string({ maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(delta), fc.array(fc.nat(5), { minLength: 1 }), (events, sizes) => {
        expect(read(batched(events, sizes))).toEqual(read(batched(events, [1])));
      }),
    );
  });

  it('LN-1: deltas that arrived together leave as one line', () => {
    const lines = new BatchLines().write([
      { type: 'text', index: 0, text: 'a' },
      { type: 'text', index: 0, text: 'b' },
      { type: 'thinking', index: 1, text: 'c' },
    ]);
    expect(lines).toEqual([
      { type: 'text', content: 'ab' },
      { type: 'thinking', content: 'c' },
    ]);
  });
});

function batched(events: readonly StreamEvent[], sizes: readonly number[]): readonly LineBody[] {
  const writer = new BatchLines();
  const lines: LineBody[] = [];
  for (let at = 0, round = 0; at < events.length; round += 1) {
    const size = Math.max(1, sizes[round % sizes.length] ?? 1);
    lines.push(...writer.write(events.slice(at, at + size)));
    at += size;
  }
  return lines;
}

function read(lines: readonly LineBody[]): readonly { type: string; content: string }[] {
  const blocks: { type: string; content: string }[] = [];
  for (const line of lines) {
    if (!('content' in line) || !('type' in line)) continue;
    const last = blocks.at(-1);
    if ('append' in line && line.append === true && last !== undefined) last.content += line.content;
    else blocks.push({ type: line.type, content: line.content });
  }
  return blocks;
}

describe('TurnLog', () => {
  it('LN-2: entries are published in order, and only once they are durable', async () => {
    const durable: number[] = [];
    const published: number[] = [];
    const shown: StreamLine[] = [];
    const log = new TurnLog(
      {
        appendLog: async (_project, _turn, entries: readonly LogEntry[]) => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          durable.push(...entries.map((entry) => entry.seq));
        },
      },
      turn,
      (entry: PublishedEntry) => {
        expect(durable).toContain(entry.entrySeq);
        published.push(entry.entrySeq);
        shown.push(...entry.lines);
      },
    );
    for (let index = 0; index < 50; index += 1) {
      await log.write({ lines: [{ type: 'text', content: `${index}` }] });
      if (index % 10 === 0) await log.flush();
    }
    await log.flush();
    expect(shown).toEqual(
      Array.from({ length: 50 }, (_, index) => ({ type: 'text', content: `${index}`, seq: index + 1 })),
    );
    expect(published).toEqual(Array.from({ length: published.length }, (_, index) => index + 1));
    expect(durable).toEqual(published);
  });

  it('LN-4: what is written while a commit is under way becomes one entry, and reads as it was written', async () => {
    const entries: LogEntry[] = [];
    const log = new TurnLog(
      {
        appendLog: async (_project, _turn, given: readonly LogEntry[]) => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          entries.push(...given);
        },
      },
      turn,
      () => undefined,
    );
    const texts = Array.from({ length: 40 }, (_, index) => TEXTS[index % TEXTS.length] ?? '');
    await log.write({ lines: [], call: callStart('first') });
    await log.flush();
    for (const text of texts) await log.write({ lines: [{ type: 'text', content: 'a', append: true }], text });
    await log.write({ lines: [], call: callStart('second') });
    await log.write({ lines: [], text: 'data: of the second\n\n' });
    await log.write({ lines: [], stop: 'end_turn' });
    await log.flush();
    const records = entries.map(readRecord);
    expect(records.length).toBeLessThan(6);
    expect(records.map(({ text = '' }) => text).join('')).toBe(`${texts.join('')}data: of the second\n\n`);
    expect(
      records.flatMap((record) => record.lines.map((line) => ('content' in line ? line.content : ''))).join(''),
    ).toBe('a'.repeat(40));
    const second = records.findIndex((record) => record.call?.callId === 'second');
    // The events of the first call come before the second one, in an entry of their own.
    expect(
      records
        .slice(second)
        .map(({ text = '' }) => text)
        .join(''),
    ).toBe('data: of the second\n\n');
    expect(records.at(-1)?.stop).toBe('end_turn');
  });

  it('LN-30: the beginning of a recorded call is stored with the first words of its reply, or after a moment', async () => {
    const logOf = (lingerMs: number) => {
      const commits: number[] = [];
      const store = {
        appendLog: async (_project: unknown, _turn: unknown, entries: readonly LogEntry[]) => {
          await Promise.resolve();
          commits.push(entries.length);
        },
      };
      const none = (): void => undefined;
      return { commits, log: new TurnLog(store, turn, none, { entrySeq: 0, lineSeq: 0 }, none, lingerMs) };
    };
    const quick = logOf(60_000);
    await quick.log.write({ lines: [{ type: 'text', content: 'a' }] });
    await quick.log.write({ lines: [], call: callStart('first') });
    await new Promise((resolve) => setImmediate(resolve));
    expect(quick.commits).toEqual([]);
    await quick.log.write({ lines: [], text: 'data: first words\n\n' });
    await quick.log.flush();
    expect(quick.commits).toEqual([2]);
    // Only the beginning waits.
    await quick.log.write({ lines: [], text: 'data: more\n\n' });
    await quick.log.stored();
    expect(quick.commits).toEqual([2, 1]);
    const slow = logOf(1);
    await slow.log.write({ lines: [], call: callStart('second') });
    await slow.log.stored();
    expect(slow.commits).toEqual([1]);
  });

  it('LN-2: what could not be written is never shown, and the turn is told', async () => {
    const published: number[] = [];
    const log = new TurnLog({ appendLog: () => Promise.reject(new Error('disk full')) }, turn, (entry) =>
      published.push(entry.entrySeq),
    );
    await log.write({ lines: [] });
    await expect(log.flush()).rejects.toThrow('disk full');
    await expect(log.write({ lines: [] })).rejects.toThrow('disk full');
    expect(published).toEqual([]);
  });
});

describe('Inbox', () => {
  it('LN-3: a watcher that does not take its news holds a bounded number, and is told to read the log', async () => {
    const inbox = new Inbox();
    for (let index = 0; index < 10_000; index += 1)
      inbox.put({ type: 'entry', entry: { turnId: turn.turnId, entrySeq: index, size: 1, lines: [] } });
    const news = await inbox.take(0);
    expect(news.length).toBeLessThanOrEqual(256);
    expect(news.some(({ type }) => type === 'progress')).toBe(true);
    expect(inbox.isEmpty).toBe(true);
    // Nothing came, and a watcher that left is not kept waiting.
    expect(await inbox.take(0)).toEqual([]);
    inbox.close();
    expect(await inbox.take(600_000)).toEqual([]);
  });

  it('LN-3: long entries count by their length; a single one is told whatever its length', async () => {
    const inbox = new Inbox();
    const put = (entrySeq: number): void =>
      inbox.put({ type: 'entry', entry: { turnId: turn.turnId, entrySeq, size: 1_000_000, lines: [] } });
    put(1);
    expect(await inbox.take(0)).toHaveLength(1);
    put(2);
    put(3);
    expect(await inbox.take(0)).toEqual([{ type: 'progress' }]);
  });
});
