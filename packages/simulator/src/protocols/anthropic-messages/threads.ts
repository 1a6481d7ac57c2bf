import { isPlainObject, stableStringify } from '@bough/core';
import type { World } from '../../world.ts';
import type { Refusal } from './history.ts';
import { list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

// Conversations that the provider holds: a reply can be continued by its id, once, with new messages alone.

const MEMORY = 'anthropic thread';
const CONTINUED = 'anthropic continued';

/** What a thread keeps from its beginning; a later request may repeat it, but not change it. */
const FIXED = ['system', 'tools', 'model'];
const UNSUPPORTED = ['cache_control', 'context_management', 'fallbacks', 'thinking'];

/** The body with everything that its thread holds, or why the thread cannot go on. */
export function withThread(body: Json, world: World): Json | Refusal {
  const { thread } = body;
  if (!isPlainObject(thread)) return body;
  const feature = UNSUPPORTED.find((key) => body[key] !== undefined);
  if (feature !== undefined) return refused(400, 'thread_unsupported_request', `${feature}: not supported in a thread`);
  if (thread['type'] !== 'continue') return body;
  const id = String(thread['previous_message_id']);
  const held = world.recall(MEMORY, id);
  if (!isPlainObject(held))
    return refused(404, 'thread_not_found', `thread.previous_message_id: ${id} is not held anymore`);
  if (world.recall(CONTINUED, id) === true) {
    return refused(400, 'thread_already_continued', `thread.previous_message_id: ${id} was continued already`);
  }
  const changed = FIXED.find(
    (key) => body[key] !== undefined && stableStringify(body[key]) !== stableStringify(held[key]),
  );
  if (changed !== undefined) {
    return refused(400, 'thread_fingerprint_mismatch', `${changed}: differs from that of the thread`);
  }
  return { ...held, ...body, messages: [...list(held['messages']), ...list(body['messages'])] };
}

/** Remembers a reply under its id, if the request asked for a thread. */
export function holdThread(body: Json, id: string, content: readonly Json[], world: World): void {
  const { thread, ...rest } = body;
  if (!isPlainObject(thread)) return;
  world.remember(MEMORY, id, { ...rest, messages: [...list(rest['messages']), { role: 'assistant', content }] });
  if (thread['type'] === 'continue') world.remember(CONTINUED, String(thread['previous_message_id']), true);
}

function refused(status: number, code: string, message: string): Refusal {
  return { rule: 'ANT-SIM-6', status, code, message };
}
