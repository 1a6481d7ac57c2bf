import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../faults/delivery.ts';

/** Carries the steps out on the socket. Ends early, without an error, when the client hangs up or the server closes. */
export async function deliver(response: ServerResponse, steps: readonly Step[]): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  for (const step of steps) {
    if (response.destroyed) return;
    await carryOut(response, step, gone);
  }
  if (!response.destroyed) response.end();
}

async function carryOut(response: ServerResponse, step: Step, gone: Promise<void>): Promise<void> {
  switch (step.type) {
    case 'write':
      if (!response.write(step.bytes)) await Promise.race([gone, drained(response)]);
      return;
    case 'wait':
      // Without a reference: a pause must not keep a process alive whose client is gone.
      await (step.ms === 0 ? nextTick() : Promise.race([gone, sleep(step.ms, undefined, { ref: false })]));
      return;
    case 'hang':
      response.flushHeaders();
      await gone;
      return;
    case 'destroy':
      response.flushHeaders();
      await Promise.race([gone, flushed(response)]);
      response.destroy();
      return;
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', resolve));
}

/** What was written before a cut must arrive: a socket that is destroyed at once takes it along. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.write('', () => resolve()));
}
