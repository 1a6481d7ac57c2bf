import { describe, expect, test } from 'vitest';
import type { Store } from '../../store.ts';
import { bundleProgram } from './program.ts';
import { crashRounds } from './rounds.ts';

export interface CrashBackend {
  /** A module that calls `runCrashWriter` with this back end when it is started. */
  readonly writer: URL;
  /** A new, empty place for data. */
  readonly place: () => Promise<{ readonly location: string; readonly dispose: () => Promise<void> }>;
  readonly open: (location: string) => Promise<Store>;
  /** How often the writer is killed in an ordinary test run; the long run is `scripts/crash.ts`. */
  readonly rounds?: number;
}

const SEED = 20250114;

export function describeCrashContract(name: string, backend: CrashBackend): void {
  describe(`${name}: crashes`, () => {
    test('ST-50: after kill -9 every acknowledged write is there and nothing is half there', async () => {
      const program = await bundleProgram(backend.writer);
      const { location, dispose } = await backend.place();
      try {
        const rounds = await crashRounds({
          program: program.path,
          location,
          open: backend.open,
          rounds: backend.rounds ?? 8,
          seed: SEED,
        });
        expect(rounds.length).toBe(backend.rounds ?? 8);
        expect(rounds.some(({ acknowledged }) => acknowledged > 10)).toBe(true);
      } finally {
        await dispose();
        await program.dispose();
      }
    }, 120_000);
  });
}
