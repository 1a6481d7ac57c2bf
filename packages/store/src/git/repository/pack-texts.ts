import type { WrittenText } from '../objects/object-batch.ts';
import { type PackEntry, writePackFile } from '../objects/pack-file.ts';
import { EMPTY_TEXT, encodeText, type PathText } from '../objects/path-text.ts';

/**
 * Packs versions of path files. The last version of a file begins with every earlier one, so each of those takes a few
 * bytes in the pack. git would have to discover that by comparing them, reading all of them several times.
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
    entries.push(whole(last.oid, text));
    for (const { oid, length } of earlier) {
      // git does not accept a delta that copies nothing.
      entries.push(length === 0 ? whole(oid, EMPTY_TEXT) : { oid, length, of: { oid: last.oid, length: text.length } });
    }
  }
  if (entries.length > 0) await writePackFile(gitDir, entries);
}

function whole(oid: string, text: PathText): PackEntry {
  return { oid, type: 'blob', length: text.length, deflated: async () => Buffer.concat(await encodeText(text)) };
}

/** Versions of one file together, the last one first. Where paths diverge, one of them takes the shared part. */
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
