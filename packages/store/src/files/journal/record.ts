import { crc32 } from 'node:zlib';
import { StoreError } from '../../errors.ts';
import type { FileChange } from './change.ts';
import { isFileChange } from './change.ts';

// One line per group commit: a checksum, a space, the changes as JSON. A group is acknowledged only when its line is on the disk,
// so a last line that is torn was never acknowledged and is dropped whole.

export function recordOf(changes: readonly FileChange[]): string {
  const json = JSON.stringify(changes);
  return `${checksum(json)} ${json}\n`;
}

/** The changes of a segment, in order. A broken line that is not the last one was acknowledged once: that is an error. */
export function changesOf(path: string, text: string): readonly FileChange[] {
  const lines = text.split('\n');
  const groups = lines.map(parseRecord);
  const broken = groups.indexOf(null);
  const whole = broken === -1 ? groups : groups.slice(0, broken);
  if (broken !== -1 && groups.slice(broken + 1).some((group) => group !== null)) {
    throw new StoreError(
      'journal_corrupt',
      path,
      `Line ${broken + 1} of the journal ${path} is damaged, but lines after it are not: this is no crash but a fault of the disk. Restore the store from a backup, or remove the journal to go on without its last changes.`,
    );
  }
  return whole.flatMap((group) => group ?? []);
}

function parseRecord(line: string): readonly FileChange[] | null {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksum(json)) return null;
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) && value.every(isFileChange) ? value : null;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
