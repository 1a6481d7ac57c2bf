import type { CrashBackend } from './backend.ts';
import { bundleProgram } from './program.ts';
import type { CrashRound } from './rounds.ts';
import { crashRounds } from './rounds.ts';

/** The long run. Returns the report; throws where a crash left anything but a whole store. */
export async function runCrashCommand(backend: CrashBackend, rounds: number, seed: number): Promise<string> {
  const program = await bundleProgram(backend.writer);
  const { location, dispose } = await backend.place();
  try {
    const done = await crashRounds({
      program: program.path,
      location,
      open: backend.open,
      rounds,
      seed,
      ...(backend.kill ? { kill: backend.kill } : {}),
      onRound: report,
    });
    return summaryOf(done);
  } finally {
    await dispose();
    await program.dispose();
  }
}

function report({ round, acknowledged, underWay, stored }: CrashRound): void {
  if (round % 25 !== 0) return;
  console.log(`round ${round}: ${acknowledged} acknowledged, ${stored} of ${underWay} under way stored`);
}

function summaryOf(rounds: readonly CrashRound[]): string {
  const sum = (of: (round: CrashRound) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  return (
    `killed ${rounds.length} times; ${sum(({ acknowledged }) => acknowledged)} acknowledged writes are all there; ` +
    `of ${sum(({ underWay }) => underWay)} under way ${sum(({ stored }) => stored)} are there whole, the others not at all`
  );
}
