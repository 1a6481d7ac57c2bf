import type { CanvasBlock } from '@bough/core';
import { CANVAS_CHARACTERS } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { RunningTurn } from '../turn/running.ts';
import { canvasOf, pathTo } from './current.ts';

/** The canvas of a running turn. Tools of one reply run at the same time; here they work one after the other. */
export interface CanvasDesk {
  /** The text as it is now; null where there is no canvas yet. */
  readonly read: () => Promise<string | null>;
  /** Makes the next version out of the newest one, the ones that other calls of the same reply made included. */
  readonly change: (next: (text: string) => string) => Promise<CanvasBlock>;
}

/**
 * What is made here is stored with the results of the calls, in the order of the calls: the last one is the newest.
 */
export function createDesk(env: Environment, { turn: { projectId }, tip }: RunningTurn): CanvasDesk {
  let newest: Promise<Pick<CanvasBlock, 'text' | 'inContext'> | null> | null = null;
  const now = (): NonNullable<typeof newest> =>
    (newest ??= pathTo(env, projectId, tip).then((path) => canvasOf(env, projectId, path)));
  return {
    read: async () => (await now())?.text ?? null,
    change: (next) => {
      const before = now();
      const make = async (): Promise<CanvasBlock> => {
        const version = await before;
        const text = next(version?.text ?? '');
        requireLength(text);
        return { type: 'canvas', text, by: 'model', inContext: version?.inContext ?? false };
      };
      const made = make();
      // A call that fails leaves the text as it was for the next one.
      newest = made.catch(() => before);
      return made;
    },
  };
}

function requireLength({ length }: string): void {
  if (length > CANVAS_CHARACTERS)
    throw new Error(`The canvas would have ${length} characters; it may have ${CANVAS_CHARACTERS}. Shorten it first.`);
}
