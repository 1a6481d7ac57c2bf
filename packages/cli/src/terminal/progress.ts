import { ESCAPE } from './shown.ts';
import type { Terminal } from './terminal.ts';

export interface Progress {
  readonly update: (done: number, note?: string) => void;
  /** Another stage of the same work. */
  readonly begin: (label: string, total: number | null) => void;
  readonly end: () => void;
}

const WIDTH = 24;
const EVERY_MS = 100;
/** Back to the beginning of the line, clearing it. */
const AGAIN = `${ESCAPE}[G${ESCAPE}[K`;

/** A bar on one line of standard error; nothing at all where no person is watching. */
export function startProgress(terminal: Terminal, label: string, total: number | null): Progress {
  if (!terminal.isInteractive) return { update: () => undefined, begin: () => undefined, end: () => undefined };
  let stage = { label, total };
  let last = 0;
  return {
    update: (done, note = '') => {
      if (Date.now() - last < EVERY_MS) return;
      last = Date.now();
      terminal.warn(`${AGAIN}${stage.label} ${barOf(done, stage.total)} ${note.replaceAll(/\s+/g, ' ')}`);
    },
    begin: (next, of) => {
      if (next === stage.label && of === stage.total) return;
      stage = { label: next, total: of };
      // Said at once, however short it is.
      last = 0;
    },
    end: () => terminal.warn(AGAIN),
  };
}

function barOf(done: number, total: number | null): string {
  if (total === null || total === 0) return String(done);
  const share = Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  return `[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${Math.round(share * 100)} %`;
}
