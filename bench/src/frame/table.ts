import { type Figure, type Result, short } from './contest.ts';
import type { Spread } from './spread.ts';

const HEAD = ['work', 'size', 'contestant', 'median', 'quartiles', '× floor', 'goal'] as const;

/** One Markdown table: readable on a terminal, and the same text in the documentation. */
export function table(results: readonly Result[]): string {
  const rows = results.flatMap((result) => result.figures.map((figure, at) => row(result, figure, at === 0)));
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function row(result: Result, figure: Figure, first: boolean): readonly string[] {
  const goals = figure.role === 'bough' ? result.verdicts : [];
  return [
    first ? result.work : '',
    first ? result.size : '',
    figure.contestant,
    `${short(figure.median)} ${result.unit}`,
    range(figure),
    figure.timesFloor === undefined ? '' : `${short(figure.timesFloor.median)} (${range(figure.timesFloor)})`,
    goals.map(({ goal, value, met }) => `${met ? 'met' : 'MISSED'}: ${goal} (${short(value)})`).join('; '),
  ];
}

function range({ low, high }: Spread): string {
  return `${short(low)}–${short(high)}`;
}
