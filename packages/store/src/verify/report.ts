import { withoutSubject } from '../errors.ts';
import type { Finding, Severity } from './finding.ts';
import type { VerifyReport } from './index.ts';
import { describeRepair, planRepairs } from './repair.ts';

const ORDER: readonly Severity[] = ['error', 'warning', 'note'];
const TITLES: Readonly<Record<Severity, string>> = { error: 'Errors', warning: 'Warnings', note: 'Notes' };
/** Per kind: a thousand equal lines say no more than these. */
const SHOWN = 20;

/** The report for people: the worst first, what can be repaired at the end. */
export function formatReport({ checked, comparedWithRaw, findings }: VerifyReport): string {
  const { projects, nodes, turns, calls, files } = checked;
  const raw = comparedWithRaw ? 'blocks compared with raw' : 'blocks not compared with raw';
  const counts = [
    `${projects} project(s)`,
    `${nodes} node(s)`,
    `${turns} turn(s)`,
    `${calls} call(s)`,
    ...(files > 0 ? [`${files} file(s)`] : []),
  ];
  const lines = [`Checked ${counts.join(', ')}; ${raw}.`];
  if (findings.length === 0) return `${lines.join('\n')}\nEverything fits together.\n`;
  for (const severity of ORDER) {
    const found = findings.filter((finding) => finding.severity === severity);
    if (found.length > 0) lines.push('', `${TITLES[severity]} (${found.length})`, ...grouped(found));
  }
  const plan = planRepairs(findings);
  if (plan.length > 0)
    lines.push('', `Safe repairs (${plan.length})`, ...plan.map((repair) => `- ${describeRepair(repair)}`));
  return `${lines.join('\n')}\n`;
}

function grouped(findings: readonly Finding[]): readonly string[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) groups.set(finding.code, [...(groups.get(finding.code) ?? []), finding]);
  return [...groups.values()].flatMap((group) => [
    ...group.slice(0, SHOWN).map(lineOf),
    ...(group.length > SHOWN ? [`- … and ${group.length - SHOWN} more of the kind ${group[0]?.code}`] : []),
  ]);
}

function lineOf(finding: Finding): string {
  const { code, projectId, subject } = finding;
  return `- [${code}] ${projectId === null ? '' : `project ${projectId}, `}${subject}: ${withoutSubject(finding)}`;
}
