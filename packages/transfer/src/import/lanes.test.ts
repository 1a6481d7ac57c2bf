import { projectId } from '@bough/core';
import { expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

/** Work that ends when it is told to. */
function task(): {
  readonly work: () => Promise<string>;
  readonly end: (result: string | Error) => void;
  begun: boolean;
} {
  let end: (result: string | Error) => void = () => undefined;
  const done = new Promise<string>((resolve, reject) => {
    end = (result) => (result instanceof Error ? reject(result) : resolve(result));
  });
  const it = {
    begun: false,
    end: (result: string | Error) => end(result),
    work: () => {
      it.begun = true;
      return done;
    },
  };
  return it;
}

const held = (project: string, weight = 1) => ({ project: projectId(project), weight });

it('IM-281: projects are stored at the same time, and told in the order in which they were read', async () => {
  const told: string[] = [];
  const lanes = new Lanes<string>((result) => told.push(result));
  const [first, second] = [task(), task()];
  await lanes.add(held('a'), first.work);
  await lanes.add(held('b'), second.work);
  expect([first.begun, second.begun]).toEqual([true, true]);
  second.end('b');
  first.end('a');
  await lanes.end();
  expect(told).toEqual(['a', 'b']);
});

it.each([
  { what: 'the same project again', next: held('a') },
  { what: 'one that does not fit into the memory beside it', next: held('b', 64 * 2 ** 20) },
  { what: 'one that is read while it is stored', next: null },
])('IM-281: $what waits for those before it', async ({ next }) => {
  const lanes = new Lanes<string>(() => undefined);
  const [first, second] = [task(), task()];
  await lanes.add(held('a'), first.work);
  const adding = lanes.add(next, second.work);
  await new Promise(setImmediate);
  expect(second.begun).toBe(false);
  first.end('a');
  second.end('b');
  await adding;
  expect(second.begun).toBe(true);
  await lanes.end();
});

it('IM-281: after a failure, what was begun ends first and counts if it is in', async () => {
  const told: string[] = [];
  const lanes = new Lanes<string>((result) => told.push(result));
  const [first, second, third] = [task(), task(), task()];
  for (const [name, { work }] of Object.entries({ first, second, third })) await lanes.add(held(name), work);
  first.end(new Error('The disk is full.'));
  await expect(lanes.end()).rejects.toThrow('The disk is full.');
  const settling = lanes.settle((result) => told.push(`${result} is in`));
  third.end(new Error('Interrupted.'));
  second.end('second');
  await settling;
  expect(told).toEqual(['second is in']);
});
