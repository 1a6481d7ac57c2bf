import { StoreError } from '../../errors.ts';
import { isRefName } from './name.ts';

/** What a ref's file says: an object, or another ref. */
export type RefValue = { readonly oid: string } | { readonly symbolic: string };

const OID = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;

export const isOid = (text: string): boolean => OID.test(text);

/** A file that says neither is damaged: skipping it would make a branch seem deleted. */
export function parseRef(gitDir: string, ref: string, content: string): RefValue {
  const text = content.trim();
  if (isOid(text)) return { oid: text };
  const target = /^ref:\s*(\S+)$/.exec(text)?.[1];
  if (target !== undefined && isRefName(target)) return { symbolic: target };
  if (SHA256.test(text)) throw unsupported(gitDir, 'names its objects by SHA-256');
  throw new StoreError(
    'corrupt_ref',
    `${gitDir} ${ref}`,
    `The ref ${ref} in ${gitDir} ${text === '' ? 'is empty' : 'names no commit'}. "git fsck --lost-found" there lists commits that ` +
      `nothing points to; write the right one with "git update-ref ${ref} <commit>", or restore the file from a clone or a backup.`,
  );
}

export function unsupported(gitDir: string, what: string): StoreError {
  return new StoreError(
    'unsupported_repository',
    gitDir,
    `${gitDir} ${what}, which Bough cannot read. Clone it into a repository of git's usual format, and use the clone.`,
  );
}
