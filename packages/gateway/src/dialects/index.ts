import type { ProtocolId } from '@bough/core';
import type { ClientBody } from '../dialect.ts';
import { objectOf, parseJson } from './json.ts';
import { READERS } from './readers.ts';

export { replyLikeness } from './likeness.ts';
export type { ReadBefore } from './resume.ts';
export { commonLength, readBefore, resumeBody } from './resume.ts';
export * from './write.ts';

/**
 * What a client says in its body. Null if it is not understood: then the bytes pass, and nothing is made of them. Never
 * throws.
 *
 * `pathModel` is what a Gemini path says behind `models/`: the model, and after a colon what is asked of it, from which
 * alone it is known whether the reply is streamed.
 */
export function readBody(protocol: ProtocolId, text: string, pathModel?: string): ClientBody | null {
  const json = objectOf(parseJson(text));
  if (json === undefined) return null;
  try {
    const body = READERS[protocol](json, text, pathModel);
    return body === null ? null : { ...body, json: () => json };
  } catch {
    // A value that is nested absurdly deep: nothing that walks through it later would survive it.
    return null;
  }
}
