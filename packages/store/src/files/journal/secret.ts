import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskTrouble, syncDirectory } from '../../on-disk/disk/index.ts';
import { readPlain } from '../../on-disk/inside/index.ts';

/**
 * Tells this store's journal from one that came with the directory. It is kept next to the directory, not in it:
 * handing over a directory does not hand over the secret. It is needed only while the journal is not empty.
 */
export interface Secret {
  /** Null where there is none: then no journal is this store's own. */
  readonly find: () => Promise<Signer | null>;
  /** Makes one where there is none. It is on the disk before anything is signed with it. */
  readonly obtain: () => Promise<Signer>;
  readonly forget: () => Promise<void>;
}

export interface Signer {
  readonly sign: (text: string) => string;
  readonly isSigned: (text: string, signature: string) => boolean;
}

const KEY = /^[0-9a-f]{64}$/;

export function secretAt(path: string): Secret {
  let held: Signer | null = null;
  const find = async (): Promise<Signer | null> => {
    const text = (await readPlain(path, (bytes) => bytes.toString('utf8').trim(), 1024)) ?? '';
    return KEY.test(text) ? signerOf(Buffer.from(text, 'hex')) : null;
  };
  return {
    find,
    obtain: async () => (held ??= (await find()) ?? (await make(path))),
    forget: async () => {
      held = null;
      await rm(path, { force: true });
    },
  };
}

async function make(path: string): Promise<Signer> {
  const key = randomBytes(32);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${key.toString('hex')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw diskTrouble(path, error);
  }
  return signerOf(key);
}

function signerOf(key: Buffer): Signer {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('hex');
  return {
    sign,
    isSigned: (text, signature) => {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
