import { describe, expect, it } from 'vitest';
import type { Step } from './delivery.ts';
import { planDelivery } from './delivery.ts';
import { parseFault } from './index.ts';
import { createFaultDesk } from './orders.ts';

const FRAMES = ['one', 'twö', 'three', 'four'].map((word) => `${word.repeat(9)}\n\n`);
const errorFrame = (kind: string): string => `error ${kind}\n\n`;
const plan = (...faults: string[]): readonly Step[] => [
  ...planDelivery(
    FRAMES,
    faults.map((fault) => parseFault(fault).fault),
    errorFrame,
  ),
];
const bytesOf = (steps: readonly Step[]): Buffer =>
  Buffer.concat(steps.flatMap((step) => (step.type === 'write' ? [step.bytes] : [])));
const written = (steps: readonly Step[]): string => bytesOf(steps).toString();

describe('parseFault', () => {
  it.each([
    ['cut 7', { fault: { type: 'cut', after: 7 }, times: null, call: null }],
    ['error', { fault: { type: 'error', after: 1, kind: 'overloaded' }, times: null, call: null }],
    ['error 3 server call 2', { fault: { type: 'error', after: 3, kind: 'server' }, times: null, call: 2 }],
    ['429', { fault: { type: 'status', status: 429, retryAfterSeconds: 1 }, times: null, call: null }],
    ['429 5 x2', { fault: { type: 'status', status: 429, retryAfterSeconds: 5 }, times: 2, call: null }],
    ['529', { fault: { type: 'status', status: 529, retryAfterSeconds: null }, times: null, call: null }],
    ['stall 2 300', { fault: { type: 'stall', after: 2, ms: 300 }, times: null, call: null }],
    ['rechunk 9', { fault: { type: 'rechunk', seed: 9 }, times: null, call: null }],
    ['drop', { fault: { type: 'drop' }, times: null, call: null }],
  ])('SIM-8: reads %s', (text, expected) => {
    expect(parseFault(text)).toEqual(expected);
  });

  it.each(['', 'boom', '200', '42', '999'])('SIM-8: "%s" is refused with the list of faults', (text) => {
    expect(() => parseFault(text)).toThrowError(/Known: cut N/);
  });
});

describe('planDelivery', () => {
  it('SIM-8: without faults everything is written', () => {
    expect(written(plan())).toBe(FRAMES.join(''));
  });

  it.each([[], ['rechunk 3']])('SIM-13: a long reply is made ready as it is delivered (%s)', (...faults) => {
    let read = 0;
    const frames = new Proxy(
      Array.from({ length: 10_000 }, () => 'data: {}\n\n'),
      {
        get: (target, key, self) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
          return Reflect.get(target, key, self) as unknown;
        },
      },
    );
    const steps = planDelivery(
      frames,
      faults.map((fault) => parseFault(fault).fault),
      errorFrame,
    )[Symbol.iterator]();
    expect(steps.next().done).toBe(false);
    expect(read).toBeLessThan(40);
  });

  it('SIM-8: a cut comes after exactly so many events', () => {
    for (let after = 0; after <= FRAMES.length; after += 1) {
      const steps = plan(`cut ${after}`);
      expect(written(steps)).toBe(FRAMES.slice(0, after).join(''));
      expect(steps.at(-1)).toEqual({ type: 'destroy' });
    }
    expect(plan('cut 99').at(-1)).toEqual({ type: 'destroy' });
  });

  it('SIM-8: an error event is the last one', () => {
    expect(written(plan('error 2 server'))).toBe(`${FRAMES.slice(0, 2).join('')}error server\n\n`);
  });

  it('SIM-8: a stall is silence, for a time or for good', () => {
    expect(plan('stall 2').at(-1)).toEqual({ type: 'hang' });
    expect(written(plan('stall 2'))).toBe(FRAMES.slice(0, 2).join(''));
    expect(written(plan('stall 2 50'))).toBe(FRAMES.join(''));
    expect(plan('stall 2 50')).toContainEqual({ type: 'wait', ms: 50 });
  });

  it('SIM-8: garbage is not UTF-8 and stands between whole events', () => {
    const bytes = bytesOf(plan('garbage 1'));
    expect(bytes.toString()).toContain('\uFFFD');
    expect(bytes.toString().startsWith(FRAMES[0] ?? '')).toBe(true);
    expect(bytes.toString().endsWith(FRAMES.slice(1).join(''))).toBe(true);
  });

  it('SIM-8: re-chunking changes the borders and not one byte, the same way for the same seed', () => {
    const steps = plan('rechunk 5');
    expect(written(steps)).toBe(FRAMES.join(''));
    expect(steps.length).toBeGreaterThan(2);
    expect(plan('rechunk 5')).toEqual(steps);
    expect(plan('rechunk 6')).not.toEqual(steps);
  });
});

describe('createFaultDesk', () => {
  const request = { model: 'm', call: 1, body: '{}', own: [] };

  it('SIM-8: an order strikes as often as it says, and only its model', () => {
    const desk = createFaultDesk();
    desk.order(parseFault('500 x2'), 'm');
    expect(desk.striking({ ...request, model: 'other' })).toEqual([]);
    expect([1, 2, 3].map(() => desk.striking(request).length)).toEqual([1, 1, 0]);
  });

  it('SIM-8: `x1` in a message strikes the first attempt and lets the retry through', () => {
    const desk = createFaultDesk();
    const own = [parseFault('429 x1')];
    expect([1, 2].map(() => desk.striking({ ...request, own }).length)).toEqual([1, 0]);
    expect(desk.striking({ ...request, own, body: '{"another":1}' })).toHaveLength(1);
  });

  it('SIM-8: `call 2` spares the first call of a turn', () => {
    const desk = createFaultDesk();
    const own = [parseFault('cut 1 call 2')];
    expect([1, 2, 3].map((call) => desk.striking({ ...request, own, call }).length)).toEqual([0, 1, 0]);
  });
});
