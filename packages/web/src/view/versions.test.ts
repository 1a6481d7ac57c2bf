import { describe, expect, it } from 'vitest';
import { repliesUnderWay, statesOf, versionsOf } from './versions.ts';

const branch = (name: string, tipId: string | null, runningTurnId: string | null) => ({ name, tipId, runningTurnId });

describe('versions of a message', () => {
  const branches = [
    branch('main', 'u', 't1'),
    branch('again', 'u', 't2'),
    branch('idle', 'u', null),
    branch('on', 'a', 't3'),
  ];

  it('WEB-131: replies that nothing is stored of yet are counted after the stored ones', () => {
    expect(versionsOf(['a', 'b'], 'u', branches)).toEqual([
      { kind: 'stored', nodeId: 'a' },
      { kind: 'stored', nodeId: 'b' },
      { kind: 'running', turnId: 't1', branch: 'main' },
      { kind: 'running', turnId: 't2', branch: 'again' },
    ]);
    expect(repliesUnderWay(null, branches)).toEqual([]);
  });

  it('WEB-131: each is being written, finished, interrupted or failed', () => {
    const nodes = [
      { id: 'a', isError: true, interrupted: false },
      { id: 'b', isError: false, interrupted: true },
    ];
    expect(statesOf(versionsOf(['a', 'b', 'c'], 'u', branches), nodes)).toEqual([
      'error',
      'interrupted',
      'complete',
      'running',
      'running',
    ]);
  });
});
