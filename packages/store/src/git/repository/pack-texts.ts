import type { WrittenText } from '../objects/object-batch.ts';
import { type PackEntry, writePackFile } from '../objects/pack-file.ts';
import { encodeText, type PathText } from '../objects/path-text.ts';

/**
 * Packs versions of path files. The last version of a file begins with every earlier one, so that each of those is a few bytes in
 * the pack. git would find that out by comparing them, at the price of reading all of them several times.
 */
export async function packTexts(
  gitDir: string,
  written: readonly WrittenText[],
  read: (oid: string) => Promise<PathText>,
): Promise<void> {
  const entries: PackEntry[] = [];
  for (const [last, ...earlier] of versionsOf(written)) {
    if (last === undefined) continue;
    const text = await read(last.oid);
    const deflated = async (): Promise<Buffer> => Buffer.concat(await encodeText(text));
    entries.push({ oid: last.oid, type: 'blob', length: text.length, deflated });
    for (const { oid, length } of earlier) entries.push({ oid, length, of: { oid: last.oid, length: text.length } });
  }
  if (entries.length > 0) await writePackFile(gitDir, entries);
}

/** Versions of one file together, the last one first. Where paths part, one of them takes what they share. */
function versionsOf(written: readonly WrittenText[]): readonly (readonly WrittenText[])[] {
  const open = new Map(written.map((text) => [text.oid, text]));
  const begun = new Set(written.map(({ begins }) => begins));
  const groups: WrittenText[][] = [];
  for (const last of written) {
    if (begun.has(last.oid)) continue;
    const group: WrittenText[] = [];
    for (let next = open.get(last.oid); next; next = next.begins === null ? undefined : open.get(next.begins)) {
      group.push(next);
      open.delete(next.oid);
    }
    if (group.length > 0) groups.push(group);
  }
  return groups;
}
