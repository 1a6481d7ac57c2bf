import type { TurnSessionOptions } from '@bough/api';
import { turnLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import type { ExitCode } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { jsonLine } from '../terminal/index.ts';
import type { ThinkingView, TurnEnd } from '../view/turn.ts';
import { showTurn } from '../view/turn.ts';

type Start = Parameters<typeof turnLines>[1];
type Session = Pick<TurnSessionOptions, 'client' | 'projectId' | 'signal'>;

export interface Following {
  readonly json: boolean;
  readonly view: ThinkingView;
  /** Sees each line after it was shown. */
  readonly onLine?: (line: StreamLine) => Promise<void>;
  readonly stopping?: Stopping;
}

/** A server that restarts is back by then; one that died is not waited for. */
const PATIENCE_MS = 6_000;
const PAUSE_MS = 500;
/** The server sends something at least every fifteen seconds. */
const SILENCE_MS = 20_000;

/**
 * Shows a turn, or with `json` prints its lines unchanged. Ctrl-C stops the reply, and a second time the program. A
 * server that does not answer any more is told at once.
 */
export async function followTurn(
  terminal: Terminal,
  session: Session,
  start: Start,
  { json, view, onLine = async () => undefined, stopping = stoppingOf(terminal, session) }: Following,
): Promise<TurnEnd | null> {
  const lines = async function* (): AsyncGenerator<StreamLine, void> {
    for await (const line of turnLines({ ...session, ...watched(terminal) }, start)) {
      if (line.type === 'turn') stopping.begun(line.turnId);
      if (json) terminal.write(`${jsonLine(line)}\n`);
      yield line;
      await onLine(line);
    }
  };
  const release = terminal.takeSignals((signal) => signal === 'SIGINT' && stopping.stop());
  try {
    if (!json) return await showTurn(terminal, lines(), view);
    let last: StreamLine | null = null;
    for await (const line of lines()) last = line;
    return last?.type === 'done' ? last : null;
  } finally {
    release();
  }
}

export interface Stopping {
  readonly begun: (turnId: string) => void;
  /** False where it was asked before: whoever asks twice does not want to wait. */
  readonly stop: () => boolean;
  /** Aborted when the reply is to stop. */
  readonly wanted: AbortSignal;
}

/** Asks the server to stop a turn: once, and not before it has begun. */
export function stoppingOf(terminal: Terminal, { client, projectId }: Session): Stopping {
  const wanted = new AbortController();
  let turnId: string | null = null;
  const ask = (): void => {
    if (turnId === null || !wanted.signal.aborted) return;
    client.interrupt(projectId, { turnId }).catch((error: unknown) => {
      // A turn that ended in the meantime needs no stopping.
      terminal.warn(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  };
  return {
    wanted: wanted.signal,
    begun: (id) => {
      turnId = id;
      ask();
    },
    stop: () => {
      if (wanted.signal.aborted) return false;
      wanted.abort();
      ask();
      return true;
    },
  };
}

function watched(terminal: Terminal): Pick<TurnSessionOptions, 'patienceMs' | 'pause' | 'silenceMs' | 'onConnection'> {
  let isLost = false;
  return {
    patienceMs: PATIENCE_MS,
    pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
    silenceMs: SILENCE_MS,
    onConnection: (connected) => {
      if (connected === !isLost) return;
      isLost = !connected;
      terminal.warn(isLost ? 'The server does not answer. Trying again …\n' : 'The server is back.\n');
    },
  };
}

/** A turn that ended in an error, or before its end, is a failure; one that waits for an approval is not. */
export function exitCodeOf(end: TurnEnd | null): ExitCode {
  return end === null || end.status === 'error' || end.status === 'interrupted' ? 1 : 0;
}
