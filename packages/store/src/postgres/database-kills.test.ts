import { expect, test } from 'vitest';
import { databaseKills } from './database-kills.ts';

// One of each kind; the long run is `scripts/kills.mjs`.
const ROUNDS = 6;

test('PG-34: whatever kills the server, every write of a store that lives on succeeds, and is there once', async () => {
  const rounds = await databaseKills(ROUNDS, 1);
  expect(rounds.length).toBe(ROUNDS);
  for (const { acknowledged } of rounds) expect(acknowledged).toBeGreaterThan(100);
}, 240_000);
