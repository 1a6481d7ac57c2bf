import type { ProjectId } from '@bough/core';
import { readBody, streamOf, unpacked } from './body.ts';
import type { CarryEnvironment } from './carry.ts';
import { carry, carryOut } from './carry.ts';
import type { Arrival, ConversationHook, Plan } from './hook.ts';
import { queryWithoutSecrets, withoutSecrets } from './keys.ts';
import { refused, UNRECORDABLE } from './refusals.ts';
import type { Content, GatewayAnswer, Passage } from './request.ts';

export interface UnreadEnvironment extends CarryEnvironment {
  /** Told of a conversation that passes although nobody can look at it. */
  readonly onUnread: (why: 'too_large' | 'unreadable') => void;
}

export interface OfferEnvironment extends UnreadEnvironment {
  readonly hook: ConversationHook;
  /** The longest conversation that is looked at, in bytes. */
  readonly maxBody: number;
}

/** Shows a request to the hook before it leaves, and does what it says. */
export async function offer(passage: Passage, environment: OfferEnvironment): Promise<GatewayAnswer> {
  const { request } = passage;
  const { hook, maxBody } = environment;
  const read = request.body === null ? null : await readBody(request.body, maxBody);
  if (read?.type === 'long') {
    const content = { bytes: read.stream, length: request.headers['content-length'] };
    return passUnread(content, passage, environment, 'too_large');
  }
  const content: Content = { bytes: read?.bytes ?? null };
  const plain = unpacked(read?.bytes ?? new Uint8Array(0), request.headers['content-encoding'], maxBody);
  if (plain === null) return passUnread(content, passage, environment);
  let plan: Plan | null;
  try {
    plan = await hook(arrivalOf(passage, plain));
  } catch (error) {
    if (!environment.onUnkept(error)) return carry(content, passage, environment);
    passage.call.end();
    return refused(passage.protocol, UNRECORDABLE);
  }
  return plan === null ? passUnread(content, passage, environment) : carryOut(plan, content, passage, environment);
}

/** What its vendor refuses was no conversation: nothing of one is missing then. */
export async function passUnread(
  content: Content,
  passage: Passage,
  environment: UnreadEnvironment,
  why: 'too_large' | 'unreadable' = 'unreadable',
): Promise<GatewayAnswer> {
  const answer = await carry(content, passage, environment);
  if (passage.asked.operation === 'conversation' && answer.status < 400) environment.onUnread(why);
  return answer;
}

/** What nobody looks at: its bytes go on as they come. */
export function asItComes({ body, headers }: Passage['request']): Content {
  if (body === null) return { bytes: null };
  return { bytes: streamOf(body[Symbol.asyncIterator]()), length: headers['content-length'] };
}

function arrivalOf({ request, address, keys, provider, asked, protocol, call }: Passage, body: Uint8Array): Arrival {
  const query = queryWithoutSecrets(keys.query);
  const named = request.headers['x-bough-project'];
  return {
    provider,
    protocol,
    operation: asked.operation === 'other' ? 'conversation' : asked.operation,
    project: address.project ?? (named === undefined || named === '' ? null : (named as ProjectId)),
    model: asked.model,
    streamed: asked.streamed,
    method: request.method,
    path: query === '' ? address.path : `${address.path}?${query}`,
    headers: withoutSecrets(request.headers),
    body,
    signal: call.signal,
  };
}
