import type { TurnSessionOptions } from '@bough/api';
import { turnLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import type { ExitCode } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { jsonLine } from '../terminal/index.ts';
import type { ThinkingView, TurnEnd } from '../view/turn.ts';
import { showTurn } from '../view/turn.ts';

type Start = Parameters<typeof turnLines>[1];

/** Shows a turn, or with `json` prints its lines unchanged. */
export async function followTurn(
  terminal: Terminal,
  session: TurnSessionOptions,
  start: Start,
  options: { readonly json: boolean; readonly view: ThinkingView },
): Promise<TurnEnd | null> {
  const lines = turnLines(session, start);
  if (!options.json) return showTurn(terminal, lines, options.view);
  let last: StreamLine | null = null;
  for await (const line of lines) {
    terminal.write(`${jsonLine(line)}\n`);
    last = line;
  }
  return last?.type === 'done' ? last : null;
}

/** A turn that ended in an error is a failure; one that waits for an approval or was interrupted is not. */
export function exitCodeOf(end: TurnEnd | null): ExitCode {
  return end === null || end.status === 'error' ? 1 : 0;
}
