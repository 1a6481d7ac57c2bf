import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withFigures } from './document.ts';

const read = (path: string): string => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');

it('docs/performance.md holds the figures of docs/performance.json', () => {
  const document = read('performance.md');
  expect(document, 'run `npm run bench -- --draw`').toBe(
    withFigures(document, JSON.parse(read('performance.json')).results),
  );
});

it('a document without a place for figures is refused', () => {
  expect(() => withFigures('no place', [])).toThrow('no place for figures');
});
