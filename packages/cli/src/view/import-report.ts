import { excerpt } from '@bough/core';
import type { ImportReport } from '@bough/transfer';

const SHOWN = 20;

/** What an import added, in sentences. */
export function reportText(report: ImportReport, written: boolean): string {
  const by = (outcome: string): number => report.projects.filter((project) => project.outcome === outcome).length;
  const lines = [
    `${written ? 'Imported' : 'Would import'} ${report.projects.length} project(s): ${by('new')} new, ${by('grown')} grown, ${by('unchanged')} unchanged.`,
    `${report.nodes} node(s), ${report.turns} turn(s), ${report.branches} branch(es) read.`,
    ...report.projects
      .slice(0, SHOWN)
      .map(
        ({ id, name, outcome, addedNodes }) =>
          `  ${id.slice(0, 8)}  ${excerpt(name, 50)}  (${outcome}, ${addedNodes} node(s) added)`,
      ),
  ];
  if (report.projects.length > SHOWN) lines.push(`  … and ${report.projects.length - SHOWN} more`);
  if (report.unreplayable > 0) {
    lines.push(
      `${report.unreplayable} reply(ies) hold reasoning that can be shown and not replayed (${report.unsigned} without a signature).`,
    );
  }
  const kinds = Object.entries(report.leftOut);
  if (kinds.length > 0) lines.push(`Not imported: ${kinds.map(([kind, count]) => `${kind} ×${count}`).join(', ')}.`);
  if (report.problems.length > 0) {
    lines.push(`${report.problems.length} record(s) skipped:`);
    for (const { where, message } of report.problems.slice(0, SHOWN)) lines.push(`  ${where}: ${message}`);
    if (report.problems.length > SHOWN) lines.push(`  … and ${report.problems.length - SHOWN} more`);
  }
  return `${lines.join('\n')}\n`;
}
