import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrownSet } from './grown-set.ts';

it('ANT-Q24: what a set has grown to is its own: it holds what was added on its way and nothing else', () => {
  const word = fc.integer({ min: 0, max: 40 }).map(String);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.array(word)), { maxLength: 30 }), (steps) => {
      const sets = [{ grown: new GrownSet(), plain: new Set<string>() }];
      for (const [from, values] of steps) {
        const before = sets[from % sets.length];
        if (before === undefined) continue;
        sets.push({ grown: before.grown.with(values), plain: new Set([...before.plain, ...values]) });
      }
      for (const { grown, plain } of sets)
        for (let value = 0; value <= 40; value += 1) expect(grown.has(String(value))).toBe(plain.has(String(value)));
    }),
  );
});
