import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { readIfThere } from '../../on-disk/disk/index.ts';
import { unsupported } from './value.ts';

export const PACKED_REFS = 'packed-refs';

/** A ref in `packed-refs`, with the line of the object that a tag points to. */
export interface PackedRef {
  readonly oid: string;
  readonly peeled: string | null;
}

/** The packed refs. Where a ref also has a file of its own, the file counts. */
export async function readPackedRefs(gitDir: string): Promise<ReadonlyMap<string, PackedRef>> {
  const text = (await readIfThere(join(gitDir, PACKED_REFS)))?.toString('utf8') ?? '';
  const refs = new Map<string, PackedRef>();
  let last = '';
  // The last line ends in a newline like every other; if not, it was cut off.
  const lines = text.split('\n');
  if (lines.pop() !== '') throw damaged(gitDir, lines.length + 1);
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('#')) continue;
    const [, oid, name] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    const peeled = /^\^([0-9a-f]{40})$/.exec(line)?.[1];
    const before = refs.get(last);
    if (oid !== undefined && name !== undefined) refs.set((last = name), { oid, peeled: null });
    else if (peeled !== undefined && before !== undefined) refs.set(last, { ...before, peeled });
    else if (/^\^?[0-9a-f]{64}\b/.test(line)) throw unsupported(gitDir, 'names its objects by SHA-256');
    else throw damaged(gitDir, at + 1);
  }
  return refs;
}

/** In the order that the first line promises: git finds refs by binary search. */
export function packedRefsText(refs: ReadonlyMap<string, PackedRef>): string {
  const sorted = [...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = sorted.map(([ref, { oid, peeled }]) => `${oid} ${ref}\n${peeled === null ? '' : `^${peeled}\n`}`);
  return [`# pack-refs with: sorted ${padding()}\n`, ...lines].join('');
}

let versions = 0;

/**
 * Gives each version another size. A git process trusts what it has read of the file as long as inode, size and the
 * second of its time are the same; file systems reuse inodes at once, so after two quick versions of one size it would
 * check a move against an old value and overwrite the newer one. git ignores spaces here.
 */
function padding(): string {
  versions += 1;
  return ' '.repeat(versions % 100);
}

function damaged(gitDir: string, line: number): StoreError {
  const path = join(gitDir, PACKED_REFS);
  return new StoreError(
    'corrupt_file',
    path,
    `${path} cannot be read (line ${line}). Mend it or restore it from a clone or a backup.`,
  );
}
