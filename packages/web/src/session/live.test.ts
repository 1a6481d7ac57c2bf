import { afterEach, describe, expect, it, vi } from 'vitest';
import { client } from './client.ts';
import { liveTurns } from './live.ts';

afterEach(() => vi.restoreAllMocks());

const TURN = { type: 'turn', turnId: 't1', branch: 'main fork', isThinkingMode: false, userNodeId: 'n1', seq: 1 };
const DONE = { type: 'done', status: 'complete', stopReason: 'end', nodeIds: [], seq: 2 };
const streamOf = (...lines: readonly object[]): Response =>
  new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

describe('a turn that was just started', () => {
  it('WEB-25: says with its first line on which branch it is; no list of branches is read for that', async () => {
    const listed = vi.spyOn(client, 'listBranches');
    expect(await liveTurns.adopt('p', streamOf(TURN, DONE))).toEqual(TURN);
    expect(liveTurns.get('t1')?.turnId).toBe('t1');
    expect(listed).not.toHaveBeenCalled();
    await expect.poll(() => liveTurns.get('t1')).toBeNull();
  });

  it('WEB-2: whose stream ends before its first line is a failure, so that nothing that was written is lost', async () => {
    vi.spyOn(client, 'turnStream').mockRejectedValue(new Error('never asked'));
    await expect(liveTurns.adopt('p', streamOf())).rejects.toMatchObject({ code: 'unreachable' });
  });
});
