import { diffLines } from '../difference/index.ts';
import type { CanvasVersion } from './index.ts';

/** Shorter documents are always told whole. */
const WHOLE = 4_000;

/**
 * What a model is told about a version that a person wrote: all of it, or how it differs from one that the model has
 * read on this path. Written once and stored with the version: what was told before stays as it was, so the beginning
 * of the next request is the same.
 */
export function canvasTold(earlier: readonly CanvasVersion[], text: string): string {
  if (text === '') return '[The canvas, the document of this project, is empty now.]';
  const whole = `[The canvas, the document of this project, reads now:]\n\n${text}`;
  const known = newestKnown(earlier);
  if (known === null || text.length <= WHOLE) return whole;
  const changes = changesBetween(known.text, text);
  return changes.length * 3 > text.length
    ? whole
    : `[The canvas, the document of this project, was changed. Compared with the version that you read last:]\n\n${changes}`;
}

/** The newest version that models know: told whole or by its changes, or made by a model out of one that it knew. */
function newestKnown(versions: readonly CanvasVersion[]): CanvasVersion | null {
  let newest: CanvasVersion | null = null;
  let before: CanvasVersion | null = null;
  for (const version of versions) {
    const isKnown = version.by === 'person' ? version.inContext : newest !== null && newest === before;
    if (isKnown) newest = version;
    before = version;
  }
  return newest;
}

function changesBetween(before: string, after: string): string {
  const lines = diffLines(before, after).lines.map((line) => {
    if (line.kind === 'gap') return `@@ ${line.count} unchanged lines @@`;
    return `${line.kind === 'added' ? '+' : line.kind === 'removed' ? '-' : ' '}${line.text}`;
  });
  return `\`\`\`diff\n${lines.join('\n')}\n\`\`\``;
}
