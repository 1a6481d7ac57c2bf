import type { RawResponse, StreamEvent } from '@bough/core';
import { bodyOfRaw, eventsOfRaw, foldToBlocks } from '@bough/core';
import type { Protocol } from '../../protocol.ts';
import { readError } from './errors.ts';
import { manner, prepare, renderingKeys, uniqueIds } from './request/index.ts';
import { ChatFold, foldBody } from './response/fold.ts';
import { check } from './rules/index.ts';

export * from './traits.ts';

/** OpenAI's Chat Completions API, as spoken by OpenAI and everyone who copied it. */
export const openaiChat: Protocol = {
  id: 'openai-chat',
  prepare,
  manner,
  uniqueIds,
  renderingKeys,
  createFold: () => new ChatFold(),
  foldBody,
  toContentBlocks: (raw) => foldToBlocks(eventsOf(raw)),
  readError,
  check,
};

function eventsOf(raw: RawResponse): readonly StreamEvent[] {
  const body = bodyOfRaw(raw);
  if (body !== null) return foldBody(body);
  const fold = new ChatFold();
  return [
    ...eventsOfRaw(raw).flatMap((event) => fold.push(event)),
    ...fold.end({ type: raw.complete ? 'closed' : 'aborted' }),
  ];
}
