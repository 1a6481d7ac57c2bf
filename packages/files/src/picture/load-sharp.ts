import type { Sharp, SharpOptions } from 'sharp';
import { FitError } from '../errors.ts';

/** By its path, or by its pixels. */
export type OpenPicture = (source: string | Buffer, options: SharpOptions) => Sharp;

/** What it may read. Drawings are text, and the rest is guarded by nobody: fewer readers, fewer holes. */
const BLOCKED = { operation: ['VipsForeignLoad'] };
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((name) => `VipsForeignLoad${name}`);

let loaded: Promise<OpenPicture> | undefined;

/** Loaded with the first picture: it is native code, and a server without it must still start. */
export function loadSharp(): Promise<OpenPicture> {
  loaded ??= import('sharp').then(
    ({ default: sharp }) => {
      // Results are never asked for twice, and a path that is used again is another picture.
      sharp.cache(false);
      sharp.concurrency(1);
      sharp.block(BLOCKED);
      sharp.unblock({ operation: READERS });
      return (source, options) => sharp(source, options);
    },
    (cause: unknown) => {
      loaded = undefined;
      throw new FitError(
        'fitting_unavailable',
        'Pictures cannot be attached here: the package "sharp" does not run on this machine. Install Bough again with ' +
          'its optional dependencies, or attach other files.',
        { cause },
      );
    },
  );
  return loaded;
}
