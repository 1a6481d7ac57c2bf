import { expect, it } from 'vitest';
import { csvOf } from './csv.ts';

it('SV-251: names with commas, quotes and lines stay one cell; unknown is empty; nothing is run as a formula', () => {
  const rows = [
    { name: 'a, "b"\nc', cost: 0.5 },
    { name: '=HYPERLINK("x")', cost: null },
    { name: 'plain', cost: 0 },
  ];
  expect(csvOf(['name', 'cost'], rows)).toBe('name,cost\r\n"a, ""b""\nc",0.5\r\n"\'=HYPERLINK(""x"")",\r\nplain,0\r\n');
});
