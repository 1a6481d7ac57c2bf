import type { TurnNews } from '@bough/api/client';
import { expect, it } from 'vitest';
import { endedUnheard, mostUrgent, readNews, readOpenTurns, withHeard, withOpen, withTurn } from './news.ts';

const turn = (branchId: string, status: TurnNews['status'], turnId = `turn of ${branchId}`): TurnNews => ({
  projectId: 'p',
  projectName: 'Project',
  branchId,
  branch: branchId,
  turnId,
  status,
});
const kinds = (news: ReturnType<typeof withTurn>) => [...news].map(([id, { kind }]) => [id, kind]);

it('WEB-125: a turn that ended or waits elsewhere is news until it is looked at, answered or asked anew', () => {
  const finished = withTurn(new Map(), turn('a', 'complete'), false);
  const both = withTurn(withTurn(finished, turn('b', 'awaiting_approval'), false), turn('c', 'error'), false);
  expect(kinds(both)).toEqual([
    ['a', 'finished'],
    ['b', 'waiting'],
    ['c', 'failed'],
  ]);
  expect(kinds(withTurn(both, turn('b', 'running'), false))).toEqual([
    ['a', 'finished'],
    ['c', 'failed'],
  ]);
  expect(kinds(withTurn(both, turn('a', 'complete'), true))).toEqual([
    ['b', 'waiting'],
    ['c', 'failed'],
  ]);
  expect(withTurn(new Map(), turn('d', 'interrupted'), false).size).toBe(0);
  expect(mostUrgent(both.values())).toBe('waiting');
  expect(mostUrgent([])).toBeNull();
});

it('WEB-125: what waits is what the server says, after a reload and after a lost connection', () => {
  const before = withTurn(
    withTurn(new Map(), turn('old', 'awaiting_approval'), false),
    turn('done', 'complete'),
    false,
  );
  const after = withOpen(before, [turn('new', 'awaiting_approval'), turn('busy', 'running')], () => false);
  expect(kinds(after)).toEqual([
    ['done', 'finished'],
    ['new', 'waiting'],
  ]);
  expect(kinds(withOpen(before, [turn('done', 'running')], () => false))).toEqual([]);
  expect(withOpen(new Map(), [turn('here', 'awaiting_approval')], () => true).size).toBe(0);
});

it('WEB-125: what was stored is read back, and nonsense is nothing', () => {
  const news = withTurn(new Map(), turn('a', 'complete'), false);
  expect(readNews(JSON.stringify([...news.values()]))).toEqual(news);
  for (const text of [null, '', '{', '7', '[null, 1, {"kind":"finished"}]']) expect(readNews(text).size).toBe(0);
});

it('WEB-181: what was under way and is no longer in the list of open turns has ended unheard', () => {
  const heard = [turn('a', 'running'), turn('b', 'awaiting_approval'), turn('c', 'running'), turn('c', 'complete')];
  const known = heard.reduce<ReturnType<typeof withHeard>>(withHeard, new Map());
  expect(endedUnheard(known, [turn('b', 'awaiting_approval'), turn('d', 'running')])).toEqual([turn('a', 'running')]);
  expect(readOpenTurns(JSON.stringify([...known.values()]))).toEqual(known);
  for (const text of [null, '', '{', '[null, {"status":"running"}]']) expect(readOpenTurns(text).size).toBe(0);
});
