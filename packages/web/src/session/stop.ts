import { ApiError } from '@bough/api/client';
import { client } from './client.ts';

/** Stops a reply, or all replies to a message. One that has ended a moment ago is stopped as well: no failure. */
export async function stopReplies(
  projectId: string,
  what: { readonly ref: string } | { readonly answering: string },
): Promise<void> {
  try {
    await client.interrupt(projectId, what);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'no_running_turn')) throw error;
  }
}
