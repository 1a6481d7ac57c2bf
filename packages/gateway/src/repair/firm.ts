import { sha256 } from '@bough/core';
import type { ClientBody } from '../dialect.ts';
import { asHeard } from './as-heard.ts';
import { elementsOf, isReplyMessage, listOf } from './elements.ts';
import { vitalsOf } from './vitals.ts';
import type { StoredReply } from './verbatim.ts';
import { verbatim } from './verbatim.ts';

/**
 * A chain over the replies of a conversation, as far as they must come back exactly, and over the model that is asked.
 * A request whose value equals the stored one returns everything that Bough gave out, which is known without reading
 * any of it.
 */
export const FIRM_START = '';

/**
 * The value after each message of a request. Only replies are parsed once more: most of a request is results of tools.
 * `known` are the values of the body that this one was read on from: they hold for what was not read again.
 */
export function requestFirms(body: ClientBody, known: readonly string[] | null = null): readonly string[] {
  const { resumed, messages } = body;
  const isKnown = resumed !== undefined && known !== null && known.length >= resumed.from;
  const firms = isKnown ? known.slice(0, resumed.from) : [];
  let firm = firms.at(-1) ?? FIRM_START;
  const list = listOf(body.protocol, isKnown ? resumed.json : body.json());
  // Every message has one element at least: where there are as many, each is its message, and is parsed already. Of a
  // body that was read on, the first one stands before those that were read.
  const before = isKnown ? firms.length - 1 : 0;
  const isOneEach = list.length === messages.length - before;
  for (const message of messages.slice(firms.length)) {
    if (isReplyMessage(message)) {
      const elements = isOneEach ? [list[firms.length - before]] : elementsOf(body, message);
      firm = next(firm, body.model, vitalsOf(body.protocol, elements));
    }
    firms.push(firm);
  }
  return firms;
}

/**
 * The value after a reply, if the client returns it as it was given. `before` is the value of the body that was sent:
 * if it were that of a body that had to be mended, the same damage would look whole the next time.
 */
export function replyFirm(before: string, reply: StoredReply): string {
  const { provider, model, blocks } = reply;
  const heard = blocks === undefined ? null : asHeard(provider, blocks);
  return next(before, model, vitalsOf(provider.deployment.protocol, heard ?? verbatim(reply) ?? []));
}

function next(before: string, model: string, vitals: readonly string[]): string {
  return sha256(JSON.stringify([before, model, vitals])).slice(0, 32);
}
