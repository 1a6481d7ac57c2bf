import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turnstile } from './turnstile.ts';

it('LN-10: so many at once and no more, in order; what fails makes room too', async () => {
  const stile = new Turnstile(2);
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  const pass = (number: number): Promise<number> =>
    stile.pass(async () => {
      order.push(number);
      inside += 1;
      most = Math.max(most, inside);
      await setImmediate();
      inside -= 1;
      if (number === 1) throw new Error('failed');
      return number;
    });
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4].map(pass));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect({ most, order }).toEqual({ most: 2, order: [0, 1, 2, 3, 4] });
  await expect(pass(5)).resolves.toBe(5);
});
