import type { RawResponse } from '@bough/core';
import { isPlainObject, sha256 } from '@bough/core';
import { CallIds } from '../response/call-ids.ts';
import { readChunks } from '../response/chunk.ts';
import { CONTINUATION } from '../response/finish.ts';
import { rawData } from '../response/index.ts';

/** A part as Gemini sent it. `callId` is the id of this call in the reply's canonical blocks. */
export interface ReplyPart {
  readonly part: Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

/** The parts of a stored reply, in order, as far as the fold reads them: up to an error or something unreadable. */
export function replyParts(raw: RawResponse): readonly ReplyPart[] {
  const parts: ReplyPart[] = [];
  let callIds: CallIds | null = null;
  for (const data of rawData(raw)) {
    const chunks = readChunks(data);
    if (chunks === null) return parts;
    for (const chunk of chunks) {
      callIds ??= new CallIds(chunk.responseId ?? sha256(data));
      for (const part of chunk.parts) {
        const { functionCall } = part;
        const isCall = isPlainObject(functionCall) && typeof functionCall['name'] === 'string';
        parts.push(isCall ? { part, callId: callIds.next(functionCall['id']) } : { part });
      }
      if (chunk.error !== undefined || chunk.blockReason !== undefined) return parts;
    }
  }
  return parts;
}

/** The token with which a stored reply goes on, if its provider ended the request in the middle of it. */
export function continuationOf(raw: RawResponse): string | null {
  let token: string | null = null;
  let finishReason: string | undefined;
  for (const data of rawData(raw)) {
    for (const chunk of readChunks(data) ?? []) {
      token = chunk.continuationToken ?? token;
      finishReason = chunk.finishReason ?? finishReason;
    }
  }
  return finishReason === CONTINUATION ? token : null;
}
