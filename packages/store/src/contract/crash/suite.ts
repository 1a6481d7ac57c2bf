import { describe, expect, test } from 'vitest';
import type { CrashBackend } from './backend.ts';
import { bundleProgram } from './program.ts';
import { crashRounds } from './rounds.ts';

export type { CrashBackend } from './backend.ts';

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
          ...(backend.kill ? { kill: backend.kill } : {}),
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
