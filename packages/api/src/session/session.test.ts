import type { StreamLine } from '@bough/core';
import { turnId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/index.ts';
import { readLines, turnLines } from './index.ts';

const line = (seq: number): StreamLine =>
  seq === 1
    ? { type: 'turn', turnId: turnId('t'), branch: 'main', isThinkingMode: true, userNodeId: null, seq }
    : { type: 'text', content: `é${seq}`, seq };
const done = (seq: number): StreamLine => ({
  type: 'done',
  status: 'complete',
  stopReason: 'end_turn',
  nodeIds: [],
  seq,
});
const TURN: readonly StreamLine[] = [...Array.from({ length: 9 }, (_, index) => line(index + 1)), done(10)];

const bytes = (lines: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));

/** A response that delivers its bytes in pieces, and then ends or breaks. */
function responseOf(body: Uint8Array, sizes: readonly number[], breaks = false): Response {
  let at = 0;
  let round = 0;
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= body.length) {
          if (breaks) controller.error(new TypeError('network'));
          else controller.close();
          return;
        }
        const size = Math.max(1, sizes[round % sizes.length] ?? 1);
        round += 1;
        controller.enqueue(body.slice(at, at + size));
        at += size;
      },
    }),
  );
}

async function collect<Value>(lines: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const each of lines) all.push(each);
  return all;
}

describe('readLines', () => {
  it('AP-1: lines are the same, wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (sizes) => {
        const { body } = responseOf(bytes(TURN), sizes);
        expect(body === null ? [] : await collect(readLines(body))).toEqual(TURN);
      }),
    );
  });

  it('AP-1: a last line that was cut is not a line', async () => {
    const { body } = responseOf(bytes(TURN).slice(0, -5), [7]);
    expect(body === null ? [] : await collect(readLines(body))).toEqual(TURN.slice(0, -1));
  });
});

describe('turnLines', () => {
  const session = (fetched: (after: number) => Response | Promise<Response>, asked: number[] = []) => ({
    client: createClient({
      fetch: async (url) => {
        const after = Number(new URL(typeof url === 'string' ? url : '', 'http://x').searchParams.get('after'));
        asked.push(after);
        return fetched(after);
      },
    }),
    projectId: 'p',
    pause: () => Promise.resolve(),
  });

  it('AP-2: each line comes exactly once and in order, however often the connection is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }), fc.nat(3), async (cuts, overlap) => {
        let connection = 0;
        const options = session((after) => {
          const from = Math.max(0, after - overlap);
          const until = cuts[connection] ?? TURN.length;
          connection += 1;
          return responseOf(
            bytes([{ type: 'heartbeat' }, ...TURN.slice(from, Math.max(from, until))]),
            [11],
            until < TURN.length,
          );
        });
        expect(await collect(turnLines(options, { turnId: 't' }))).toEqual(TURN);
      }),
    );
  });

  it('AP-3: a first response that breaks is taken up again by the turn’s id', async () => {
    const asked: number[] = [];
    const options = session((after) => responseOf(bytes(TURN.slice(after)), [9]), asked);
    const first = responseOf(bytes(TURN.slice(0, 4)), [9], true);
    expect(await collect(turnLines(options, { response: first }))).toEqual(TURN);
    expect(asked).toEqual([4]);
  });

  it('AP-4: a server that restarts is waited for; a turn that is gone is an error', async () => {
    let attempts = 0;
    const restarting = session((after) => {
      attempts += 1;
      if (attempts < 3) return Promise.reject(new TypeError('refused'));
      return responseOf(bytes(TURN.slice(after)), [50]);
    });
    expect(await collect(turnLines(restarting, { turnId: 't' }))).toEqual(TURN);
    const gone = session(() =>
      Response.json({ code: 'unknown_id', detail: 'There is no turn.', status: 404 }, { status: 404 }),
    );
    await expect(collect(turnLines(gone, { turnId: 't' }))).rejects.toMatchObject({ code: 'unknown_id', status: 404 });
  });

  it('AP-31: who has no patience is told that the server cannot be reached', async () => {
    const dead = session(() => Promise.reject(new TypeError('refused')));
    const lines = collect(turnLines({ ...dead, patienceMs: 0 }, { turnId: 't' }));
    await expect(lines).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('AP-5: silence is taken for a lost connection', async () => {
    const asked: number[] = [];
    const options = session((after) => {
      if (after > 0) return responseOf(bytes(TURN.slice(after)), [50]);
      return new Response(
        new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes(TURN.slice(0, 2))) }),
      );
    }, asked);
    expect(await collect(turnLines({ ...options, silenceMs: 20 }, { turnId: 't' }))).toEqual(TURN);
    expect(asked).toEqual([0, 2]);
  });
});

describe('the client', () => {
  it('AP-7: projects are asked for as a whole, or by pages; what is left out is not in the address', async () => {
    const asked: string[] = [];
    const client = createClient({
      fetch: async (url) => {
        asked.push(url instanceof Request ? url.url : url.toString());
        return Response.json({ projects: [], total: 0 });
      },
    });
    expect(await client.listProjects()).toEqual({ projects: [], total: 0 });
    await client.listProjects({ limit: 100, offset: 200, search: 'a & b', archived: false });
    expect(asked).toEqual(['/api/projects', '/api/projects?limit=100&offset=200&search=a+%26+b&archived=false']);
  });

  it('AP-6: every failure is an ApiError with a code, whatever the server answered', async () => {
    const failing = (answer: () => Promise<Response>) => createClient({ fetch: answer }).listProjects();
    await expect(failing(() => Promise.reject(new TypeError('refused')))).rejects.toMatchObject({
      code: 'unreachable',
      status: 0,
    });
    await expect(failing(async () => new Response('<html>', { status: 502 }))).rejects.toMatchObject({
      code: 'unreadable',
      status: 502,
    });
    await expect(
      failing(async () => Response.json({ code: 'branch_locked', detail: 'x', extra: { a: 1 } }, { status: 409 })),
    ).rejects.toMatchObject({ code: 'branch_locked', extra: { a: 1 } });
  });
});
