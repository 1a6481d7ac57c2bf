import { crc32 } from 'node:zlib';
import { StoreError } from '../../errors.ts';
import type { FileChange } from './change.ts';
import { isFileChange } from './change.ts';
import type { Signer } from './secret.ts';

// One line per group commit: a checksum, a signature, the changes as JSON. A group is acknowledged only when its line
// is on the disk, so a torn last line was never acknowledged and is dropped whole. The checksum tells a torn line from
// a whole one; the signature tells this store's lines from those that came with the directory.

export function recordOf(changes: readonly FileChange[], signer: Signer): string {
  const json = JSON.stringify(changes);
  const signed = `${signer.sign(json)} ${json}`;
  return `${checksum(signed)} ${signed}\n`;
}

/**
 * The changes of a segment, in order. A broken line before the last one had been acknowledged, so it is an error. So is
 * a whole line that somebody else wrote: it may name any file and any content.
 */
export function changesOf(path: string, text: string, signer: Signer | null): readonly FileChange[] {
  const lines = text.split('\n').map(wholeLine);
  const broken = lines.indexOf(null);
  const whole = (broken === -1 ? lines : lines.slice(0, broken)).flatMap((line) => line ?? []);
  if (broken !== -1 && lines.slice(broken + 1).some((line) => line !== null)) {
    throw new StoreError(
      'journal_corrupt',
      path,
      `Line ${broken + 1} of the journal ${path} is damaged, but lines after it are not: this is no crash but a fault of the disk. Restore the store from a backup, or remove the journal to go on without its last changes.`,
    );
  }
  return whole.flatMap((line) => signedChanges(line, signer) ?? refuse(path));
}

/** What follows the checksum; null for a line that is not whole. */
function wholeLine(line: string): string | null {
  const rest = line.slice(9);
  return line[8] === ' ' && line.slice(0, 8) === checksum(rest) ? rest : null;
}

function signedChanges(line: string, signer: Signer | null): readonly FileChange[] | null {
  const json = line.slice(65);
  if (signer === null || line[64] !== ' ' || !signer.isSigned(json, line.slice(0, 64))) return null;
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) && value.every(isFileChange) ? value : null;
}

function refuse(path: string): never {
  throw new StoreError(
    'journal_foreign',
    path,
    `The journal ${path} was not written by this Bough on this directory, so its changes are not made: they could overwrite any file. If the directory came from somebody else, remove the journal. If it was moved or copied after a crash, move the file with the secret along (its name is that of the directory with .key behind it), or open the directory once where it was; removing the journal loses the last changes before the crash.`,
  );
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
