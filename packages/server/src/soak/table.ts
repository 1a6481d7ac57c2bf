import type { FindingKind } from './finding.ts';
import type { Run } from './run.ts';

const COLUMNS: readonly (readonly [title: string, kinds: readonly FindingKind[]])[] = [
  ['lost messages', ['message', 'write']],
  ['replies', ['reply', 'report']],
  ['results', ['tool_result']],
  ['stuck', ['stuck', 'broken_off']],
  ['doubled', ['doubled']],
  ['order', ['order']],
  ['verify', ['verify']],
];

/** The figures as a Markdown table, as in docs/reliability.md. */
export function tableOf(runs: readonly Run[]): string {
  const head = [
    'scenario',
    'store',
    'rounds',
    'turns',
    'lines',
    ...COLUMNS.map(([title]) => title),
    'takeover p50, max',
  ];
  const rows = runs.map((run) => [
    run.scenario,
    run.store,
    String(run.rounds),
    String(run.turns),
    String(run.lines),
    ...COLUMNS.map(([, kinds]) => String(run.findings.filter(({ kind }) => kinds.includes(kind)).length)),
    takeoverOf(run.takeovers),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function takeoverOf(takeovers: readonly number[]): string {
  const sorted = takeovers.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const longest = sorted.at(-1);
  if (middle === undefined || longest === undefined) return '–';
  return `${(middle / 1000).toFixed(1)} s, ${(longest / 1000).toFixed(1)} s`;
}

/** What is not a loss, but worth knowing. */
export function notesOf({ scenario, store, failedTurns, refusals, seconds }: Run): string {
  const told = [...refusals].toSorted(([, a], [, b]) => b - a).map(([code, times]) => `${times} × ${code}`);
  const refused = told.join(', ') || 'none';
  return `${scenario} ${store}: ${failedTurns} turns ended in an error; refused: ${refused}; ${seconds.toFixed(0)} s`;
}
