import { expect, it } from 'vitest';
import { createClosers } from './index.ts';

it('SV-19: what was opened is closed in reverse order, once, also behind what fails', async () => {
  const closers = createClosers();
  const closed: string[] = [];
  closers.add(() => closed.push('first'));
  closers.add(async () => {
    closed.push('second');
    throw new Error('no luck');
  });
  closers.add(async () => closed.push('third'));
  await expect(Promise.all([closers.closeAll(), closers.closeAll()])).rejects.toThrow('no luck');
  expect(closed).toEqual(['third', 'second', 'first']);
});
