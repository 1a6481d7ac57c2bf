import { isTextBlock, trailAfter, trailStart } from '@bough/core';
import type { Client } from '../clients/index.ts';
import type { ClientBody, ClientPart } from '../dialect.ts';
import { givenLikeness } from '../dialects/likeness.ts';

/** A part of a client's history with its place in it: one node. */
export interface Said extends ClientPart {
  readonly trail: string;
  /** The client's message that it is part of. */
  readonly message: number;
}

/** A header that Claude Code writes into its system prompt; it differs between conversations of one agent. */
const BILLING = /^x-anthropic-billing-header/;

/** The trails of an earlier body, as far as a later one begins like it. */
export interface KnownTrails {
  /** What the first of them follows. */
  readonly start: string;
  /** One for each part, in order. */
  readonly trails: readonly string[];
}

/**
 * Everything that a client says in a request, each part with the trail up to it. A request that continues a response of
 * the provider begins with the trail of that.
 */
export function trailsOf(
  body: Pick<ClientBody, 'system' | 'tools' | 'providerTools' | 'messages' | 'resumed'>,
  session: string | null,
  start: string | null = null,
  hasTools: boolean = bringsTools(body),
  known: KnownTrails | null = null,
): readonly Said[] {
  let trail = start ?? startOf(body, session, hasTools);
  const repeated = known?.start === trail ? (body.resumed?.from ?? 0) : 0;
  const said: Said[] = [];
  for (const [message, { parts }] of body.messages.entries()) {
    for (const part of parts) {
      trail = (message < repeated ? known?.trails[said.length] : null) ?? trailAfter(trail, part.role, part.likeness);
      said.push(new SaidPart(part, trail, message));
    }
  }
  return said;
}

/**
 * An agent that declares no session is known by its name alone: what it asks in passing has a system prompt of its own,
 * and that of its conversation changes with its modes.
 */
export function asSpoken<Body extends Pick<ClientBody, 'system'>>(
  body: Body,
  { session, name, isAgent }: Pick<Client, 'session' | 'name' | 'isAgent'>,
): Body {
  return session === null && isAgent ? { ...body, system: [name] } : body;
}

/**
 * The trail of what an agent may have asked in passing before its conversation began: each text of its first message as
 * a message of its own, without tools. Null for any request but the first.
 */
export function trailInPassing(
  body: Pick<ClientBody, 'system' | 'tools' | 'providerTools' | 'messages'>,
): string | null {
  const [first, ...others] = body.messages;
  const [part, ...rest] = first?.parts ?? [];
  if (part === undefined || part.role !== 'user' || part.files.length + others.length + rest.length > 0) return null;
  return part.blocks.reduce(
    (trail, block) => trailAfter(trail, 'user', givenLikeness([isTextBlock(block) ? block.text : ''], [])),
    startOf(body, null, false),
  );
}

/** What the first trail of a request follows. */
export function startOf(
  body: Pick<ClientBody, 'system' | 'tools' | 'providerTools'>,
  session: string | null,
  hasTools: boolean = bringsTools(body),
): string {
  return trailStart({ session, identity: identityOf(body.system), hasTools });
}

/** Not a copy: what a part says may have to be read first, and most of a request's parts nobody asks. */
class SaidPart implements Said {
  readonly #part: ClientPart;
  readonly trail: string;
  readonly message: number;

  constructor(part: ClientPart, trail: string, message: number) {
    this.#part = part;
    this.trail = trail;
    this.message = message;
  }

  get role(): ClientPart['role'] {
    return this.#part.role;
  }

  get likeness(): string {
    return this.#part.likeness;
  }

  get toolCallId(): string | undefined {
    return this.#part.toolCallId;
  }

  get isError(): boolean | undefined {
    return this.#part.isError;
  }

  get blocks(): ClientPart['blocks'] {
    return this.#part.blocks;
  }

  get files(): ClientPart['files'] {
    return this.#part.files;
  }
}

export const bringsTools = ({ tools, providerTools }: Pick<ClientBody, 'tools' | 'providerTools'>): boolean =>
  tools.length > 0 || providerTools.length > 0;

/** The first line that says who is speaking: what follows holds dates, folders and what is left of budgets. */
function identityOf(system: readonly string[]): string {
  for (const text of system) {
    if (BILLING.test(text)) continue;
    const line = text.split('\n').find((each) => each.trim() !== '');
    if (line !== undefined) return line;
  }
  return '';
}

/**
 * How many of the newest trails are asked for first, and how many next. A conversation that goes on is found among the
 * first ones; each trail costs both sides something.
 */
const PORTIONS = [16, 512] as const;

/** The trails of a request, the longest history first, in portions that are asked for one after the other. */
export function portionsOf(
  said: readonly Pick<Said, 'trail'>[],
  start: string | null = null,
): readonly (readonly string[])[] {
  const trails = [...(start === null ? [] : [start]), ...said.map(({ trail }) => trail)].toReversed();
  const [first, second] = PORTIONS;
  return [trails.slice(0, first), trails.slice(first, second), trails.slice(second)].filter(
    (portion) => portion.length > 0,
  );
}
