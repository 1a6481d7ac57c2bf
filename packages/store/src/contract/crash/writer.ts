import { writeSync } from 'node:fs';
import { planSteps } from '../model/plan.ts';
import { runOperation } from '../model/operations.ts';
import type { Store } from '../../store.ts';

/**
 * The program that is killed. It opens the store, prints `ready`, then works through a plan and prints `step operation`
 * after each operation that resolved. Output is written synchronously, so whatever the parent reads had been
 * acknowledged by the store.
 */
export async function runCrashWriter(open: (location: string) => Promise<Store>): Promise<void> {
  const [location, seed, prefix] = process.argv.slice(2);
  if (location === undefined || seed === undefined || prefix === undefined) {
    throw new Error('usage: <location> <seed> <prefix>');
  }
  const store = await open(location);
  writeSync(1, 'ready\n');
  let number = 0;
  for (const step of planSteps(Number(seed), prefix)) {
    await Promise.all(
      step.map(async (operation, index) => {
        await runOperation(store, operation);
        writeSync(1, `${number} ${index}\n`);
      }),
    );
    number += 1;
  }
}
