import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../faults/delivery.ts';

/** Carries the steps out on the socket. Ends early, without an error, when the client hangs up or the server closes. */
export async function deliver(response: ServerResponse, steps: Iterable<Step>): Promise<void> {
  // A signal, not a promise: a promise that lives as long as the reply would remember every wait that was raced against
  // it.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    for (const step of steps) {
      if (response.destroyed) return;
      await carryOut(response, step, gone.signal);
    }
    if (!response.destroyed) response.end();
  } catch (error) {
    if (!gone.signal.aborted && !response.destroyed) throw error;
  }
}

async function carryOut(response: ServerResponse, step: Step, signal: AbortSignal): Promise<void> {
  switch (step.type) {
    case 'write':
      if (!response.write(step.bytes)) await once(response, 'drain', { signal });
      return;
    case 'wait':
      // Unreferenced: a pause must not keep a process alive whose client is gone.
      await (step.ms === 0 ? nextTick() : sleep(step.ms, undefined, { ref: false, signal }));
      return;
    case 'hang':
      response.flushHeaders();
      await once(response, 'close');
      return;
    case 'destroy':
      response.flushHeaders();
      await flushed(response);
      response.destroy();
      return;
  }
}

/** What was written before a cut must arrive: destroying a socket at once would discard it. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write('', () => resolve());
  });
}
