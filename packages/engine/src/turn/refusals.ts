import type { MadeCall } from './call.ts';

// What a request may be refused for that it does not need: then it is made once more without that.

/** How a call ended. */
type Ended = Pick<MadeCall, 'folded' | 'status'>;

/**
 * The provider no longer knows the response that the request continued from: it forgot it, or never stored it. Or a
 * server between us and the provider keeps its models apart, so that one cannot decrypt what another thought.
 */
export function refusesHistory({ folded, status }: Ended): boolean {
  return status === 'error' && folded.error?.code === 'history_rejected' && folded.blocks.length === 0;
}

/**
 * The container that the request names is gone. Providers have answered that with an error of their own servers, too:
 * then it is worth one more try, and the second answer counts.
 */
export function lostContainer({ folded, status }: Ended): boolean {
  const codes: readonly (string | undefined)[] = ['container_expired', 'not_found', 'server'];
  return status === 'error' && codes.includes(folded.error?.code) && folded.blocks.length === 0;
}

/** Somebody removed a file at the provider: were it named again, no message of the conversation would be answered. */
export function lostFile({ folded, status }: Ended): boolean {
  const { error, blocks } = folded;
  return status === 'error' && error?.code === 'not_found' && /\bfile\b/i.test(error.message) && blocks.length === 0;
}
