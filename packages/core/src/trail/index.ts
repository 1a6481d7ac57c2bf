import type { ContentBlock } from '../blocks/index.ts';
import { isReasoningBlock, isTextBlock, isToolUseBlock } from '../blocks/index.ts';
import { stableStringify } from '../equality/index.ts';
import { sha256 } from '../hash/index.ts';
import type { Role } from '../messages/index.ts';

/** What a client's history begins with. Conversations that differ in it never meet. */
export interface TrailHead {
  /** The session that the client declared; null if it declares none. */
  readonly session: string | null;
  /** What the system prompt says first: its rest may hold the date, or what is left of a budget. */
  readonly identity: string;
  /** Side calls of an agent have no tools. */
  readonly hasTools: boolean;
}

/** How many characters of a system prompt say whose it is. */
const IDENTITY = 200;
const LENGTH = 32;

/**
 * A trail names everything that a client said up to a message: a chain of hashes, one per message. Equal trails mean
 * equal histories, so that a request of 500 messages finds its place with one look-up.
 */
export function trailStart({ session, identity, hasTools }: TrailHead): string {
  return chained('bough trail 1', JSON.stringify([session, identity.trim().slice(0, IDENTITY), hasTools]));
}

export function trailAfter(trail: string, role: Role, likeness: string): string {
  return chained(trail, `${role}\n${likeness}`);
}

function chained(before: string, next: string): string {
  return sha256(`${before}\n${next}`).slice(0, LENGTH);
}

/**
 * What a reply says, without what clients change and do not mean: equal for a reply as the provider sent it and as any
 * client gives it back. Clients merge and trim the texts of a reply, leave out its reasoning, rename its calls and
 * write their arguments anew. What only its provider understands counts if there is nothing else.
 */
export function replyLikeness(blocks: readonly ContentBlock[]): string {
  let text = '';
  const calls: unknown[] = [];
  const rest: string[] = [];
  for (const block of blocks) {
    if (isTextBlock(block)) text += block.text;
    else if (isToolUseBlock(block)) calls.push([block.name, block.parameters]);
    else if (!isReasoningBlock(block)) rest.push(block.type);
  }
  // Where texts were joined, white space may have come or gone.
  const said = text.replaceAll(/\s+/g, '');
  const others = said === '' && calls.length === 0 ? rest : calls;
  return sha256(`${stableStringify(others)}\n${said}`).slice(0, LENGTH);
}
