import type { Diff } from '@bough/core';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** Removed and added lines, each after its sign; where lines are left out, the number of the next one. */
export function differenceText({ lines, added, removed }: Diff): string {
  if (added + removed === 0) return 'No difference.\n';
  const text: string[] = [];
  let number = 1;
  let isMarked = false;
  for (const line of lines) {
    if (line.kind === 'gap') {
      number += line.count;
      isMarked = false;
      continue;
    }
    if (!isMarked) text.push(`@@ line ${number} @@`);
    isMarked = true;
    text.push(`${SIGNS[line.kind]} ${line.text}`);
    if (line.kind !== 'removed') number += 1;
  }
  return `${text.join('\n')}\n`;
}
