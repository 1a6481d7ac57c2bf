import { excerpt } from '@bough/core';
import type { ImportReport } from '@bough/transfer';
import { shortId } from './short-id.ts';

const SHOWN = 20;

/** What is kept for another program, by kind. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind} ×${count}`)
    .join(', ');

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
          `  ${shortId(id)}  ${excerpt(name, 50)}  (${outcome}, ${addedNodes} node(s) added)`,
      ),
  ];
  if (report.projects.length > SHOWN) lines.push(`  … and ${report.projects.length - SHOWN} more`);
  lines.push(...reasoningLines(report.reasoning, written));
  if (report.unreplayable > 0) {
    lines.push(
      `${report.unreplayable} reply(ies) hold reasoning that can be shown and not replayed (${report.unsigned} without a signature).`,
    );
  }
  const kinds = Object.entries(report.leftOut);
  if (kinds.length > 0) lines.push(`Not imported: ${kinds.map(([kind, count]) => `${kind} ×${count}`).join(', ')}.`);
  const beside = countsText(report.beside);
  if (beside !== '')
    lines.push(`${written ? 'Kept' : 'Would be kept'} beside the projects, for the way back: ${beside}.`);
  if (report.files > 0) lines.push(`${report.files} file(s) came along.`);
  if (report.missingFiles.length > 0) {
    lines.push(`${report.missingFiles.length} file(s) did not come along:`);
    for (const { where, name, reason } of report.missingFiles.slice(0, SHOWN))
      lines.push(`  ${excerpt(where, 50)}: ${name === null ? '' : `${excerpt(name, 80)}: `}${reason}`);
    if (report.missingFiles.length > SHOWN) lines.push(`  … and ${report.missingFiles.length - SHOWN} more`);
  }
  if (report.problems.length > 0) {
    lines.push(`${report.problems.length} record(s) skipped:`);
    for (const { where, message } of report.problems.slice(0, SHOWN)) lines.push(`  ${where}: ${message}`);
    if (report.problems.length > SHOWN) lines.push(`  … and ${report.problems.length - SHOWN} more`);
  }
  return `${lines.join('\n')}\n`;
}

/** What becomes of the reasoning in agents' sessions when they go on here, and why. */
function reasoningLines({ goesBack, stays }: ImportReport['reasoning'], written: boolean): readonly string[] {
  const reasons: Readonly<Record<string, string>> = {
    unsigned: 'the client kept no signature of it',
    bound: "its model takes it back only behind the client's own instructions and tools",
    unknown_maker: `no provider that is set up here made it (${written ? 'delete the project and import it again with --made-by, which' : '--made-by'} names one)`,
  };
  const back =
    goesBack === 0 ? [] : [`${goesBack} reply(ies) get their reasoning back when they go on with their model.`];
  return [
    ...back,
    ...Object.entries(stays).map(
      ([reason, count]) => `${count} reply(ies) hold reasoning that stays here: ${reasons[reason] ?? reason}.`,
    ),
  ];
}
