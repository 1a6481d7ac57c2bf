import { nodeId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrderOfStorage } from './order.ts';

const item = (id: string, parent: string | null, time: string, order: number | null = null) => ({
  node: { id: nodeId(id), parentId: parent === null ? null : nodeId(parent), createdAt: time },
  order,
});
const ids = (items: readonly { node: { id: string } }[]): string[] => items.map(({ node }) => node.id);

describe('inOrderOfStorage', () => {
  test('FS-10: Loom’s nodes come by their times, and by their numbers where those are equal', () => {
    const items = [item('n10', 'n1', '2024-01-02'), item('n2', 'n1', '2024-01-02'), item('n1', null, '2024-01-01')];
    expect(ids(inOrderOfStorage(items))).toStrictEqual(['n1', 'n2', 'n10']);
  });

  test('FS-10: Bough’s nodes come behind those that were there before, in their own order', () => {
    const items = [
      item('b2', 'b1', '2020-01-01', 4),
      item('b1', 'loom', '2020-01-01', 3),
      item('loom', null, '2024-01-01'),
      item('below', 'b2', '2019-01-01'),
    ];
    expect(ids(inOrderOfStorage(items))).toStrictEqual(['loom', 'b1', 'b2', 'below']);
  });

  test('FS-10: a parent always comes before its children, whatever the clocks said', () => {
    const forest = fc.array(fc.record({ parent: fc.nat(), time: fc.nat(5), own: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(forest, (specs) => {
        const items = specs.map(({ parent, time, own }, index) =>
          item(
            `n${index}`,
            index === 0 || parent % 3 === 0 ? null : `n${parent % index}`,
            `202${time}-01-01`,
            own ? index : null,
          ),
        );
        const ordered = inOrderOfStorage(items);
        expect(ordered.length).toBe(items.length);
        const place = new Map(ids(ordered).map((id, index) => [id, index]));
        for (const { node } of ordered) {
          const parent = node.parentId === null ? -1 : (place.get(node.parentId) ?? -1);
          expect(parent).toBeLessThan(place.get(node.id) ?? -1);
        }
      }),
    );
  });
});
