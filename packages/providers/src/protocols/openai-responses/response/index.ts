import type { ContentBlock, RawResponse, StreamEvent } from '@bough/core';
import { bodyOfRaw, eventsOfRaw, foldToBlocks } from '@bough/core';
import { errorObject, readStreamError } from '../errors.ts';
import { objectOf } from '../wire.ts';
import { parseJson } from '../../../render/json-text.ts';
import { MALFORMED, ResponsesFold } from './fold.ts';

export { ResponsesFold } from './fold.ts';

export function foldBody(body: string): readonly StreamEvent[] {
  const response = objectOf(parseJson(body));
  const fold = new ResponsesFold();
  if (response !== undefined && Array.isArray(response['output'])) return fold.respond(response);
  const error = errorObject(response) === undefined ? MALFORMED : readStreamError(response);
  return fold.end({ type: 'failed', error });
}

export function toContentBlocks(raw: RawResponse): readonly ContentBlock[] {
  const events = eventsOfRaw(raw);
  const body = bodyOfRaw(raw);
  if (events.length === 0 && body !== null) return foldToBlocks(foldBody(body));
  const fold = new ResponsesFold();
  return foldToBlocks([...events.flatMap((event) => fold.push(event)), ...fold.end({ type: 'aborted' })]);
}
