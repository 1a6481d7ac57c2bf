import type { StreamEvent } from '@bough/core';
import { expect, it } from 'vitest';
import { newEventRun } from './event-run.ts';

const text = (index: number, words: string): StreamEvent => ({ type: 'text', index, text: words });
const thinking = (index: number, words: string): StreamEvent => ({ type: 'thinking', index, text: words });

it('TRN-1: deltas that continue each other are one event; another block, another kind and anything between them keeps its place', () => {
  const run = newEventRun();
  const signature: StreamEvent = { type: 'signature', index: 0, signature: 's' };
  for (const event of [
    thinking(0, 'a'),
    thinking(0, 'b'),
    signature,
    thinking(0, 'c'),
    text(0, 'd'),
    text(1, 'e'),
    text(1, ''),
    text(1, 'f'),
    text(0, 'g'),
  ]) {
    run.add(event);
  }
  const expected = [thinking(0, 'ab'), signature, thinking(0, 'c'), text(0, 'd'), text(1, 'ef'), text(0, 'g')];
  expect(run.list()).toEqual(expected);
  expect(run.list()).toEqual(expected);
});
