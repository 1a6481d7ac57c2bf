import { diffLines } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { beginningOf, pretty } from './diff.ts';

describe('difference of two requests', () => {
  it('WEB-12: of a long one the page shows the beginning, and cuts a line that is many screens long', () => {
    const { lines } = diffLines('', `${'long'.repeat(10_000)}\n${'line\n'.repeat(5000)}`);
    const shown = beginningOf(lines);
    expect(shown).toHaveLength(1500);
    expect(shown[0]).toEqual({ kind: 'added', text: `${'long'.repeat(5000)}…` });
  });

  it('WEB-12: a body that is not JSON is shown as it is', () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty('no json')).toBe('no json');
  });
});
