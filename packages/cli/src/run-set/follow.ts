import type { RoundView } from '@bough/api';
import type { Desk } from '../commands/run-set.ts';
import type { ExitCode } from '../command.ts';
import { INTERRUPTED } from '../command.ts';
import { printJson, startProgress } from '../terminal/index.ts';
import { tableText, wholeTable } from './text.ts';

const LOOK_MS = 300;

/** Shows how far a round is until it stands still, and then its answers. 1 if any of them is missing. */
export async function followRound(desk: Desk, id: string): Promise<ExitCode> {
  const { client, terminal, json } = desk;
  const progress = startProgress(terminal, 'Asking', null);
  let round: RoundView;
  for (;;) {
    ({ round } = await client.getRound(id, { limit: 1 }));
    progress.begin('Asking', round.answers);
    progress.update(round.complete + round.failed, `${round.failed} failed, $${round.spent.toFixed(4)}`);
    if (round.state !== 'running' && round.running === 0) break;
    if (terminal.signal.aborted) {
      progress.end();
      return leave(desk, round);
    }
    await pause(terminal.signal);
  }
  progress.end();
  const table = await wholeTable(client, id);
  if (json) printJson(terminal, table);
  else terminal.write(tableText(table));
  return round.state === 'finished' && round.failed === 0 ? 0 : 1;
}

/** Nobody watches any more. A round that would lose its server waits for a person, not for whatever starts next. */
async function leave({ client, terminal, isOwn }: Desk, { id }: RoundView): Promise<ExitCode> {
  if (isOwn) await client.updateRound(id, { state: 'paused' });
  const short = id.slice(0, 8);
  terminal.warn(
    isOwn
      ? `Paused. \`bough run-set SET --round ${short} --resume\` goes on.\n`
      : `The server goes on. \`bough run-set SET --round ${short} --pause\` pauses it.\n`,
  );
  return INTERRUPTED;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_MS);
    signal.addEventListener('abort', end);
  });
}
