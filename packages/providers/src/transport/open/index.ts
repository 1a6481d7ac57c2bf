import { retryDelay } from '../retry/index.ts';
import type { Settings } from '../options.ts';
import type { Attempt, WireCall } from './attempt.ts';
import { attempt } from './attempt.ts';

export type { Attempt, WireCall } from './attempt.ts';

/** Opens the response, retrying as long as not one byte of a reply has come. Never rejects. */
export async function openResponse(call: WireCall): Promise<Attempt> {
  for (let number = 0; ; number += 1) {
    const result = await attempt(call);
    if (result.type !== 'failed' || !result.again || number >= call.settings.retries) return result;
    const delay = retryDelay(number, result.retryAfterMs, call.settings);
    if (delay === null) return impatient(result);
    call.onPause?.({ code: result.error.code, milliseconds: delay });
    if (!(await pause(delay, call.signal, call.settings))) return { type: 'aborted' };
  }
}

function impatient(result: Extract<Attempt, { type: 'failed' }>): Attempt {
  const seconds = Math.ceil((result.retryAfterMs ?? 0) / 1_000);
  const message = `${result.error.message} The provider asks to wait ${seconds} s.`;
  return { ...result, error: { ...result.error, message } };
}

/** False if the user aborted the wait. */
function pause(ms: number, signal: AbortSignal, { clock }: Settings): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (waited: boolean): void => {
      signal.removeEventListener('abort', onAbort);
      cancel();
      resolve(waited);
    };
    const onAbort = (): void => finish(false);
    const cancel = clock.after(ms, () => finish(true));
    if (signal.aborted) finish(false);
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
