import type { ContextItem } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import type { ModelInfo } from '../../../models/model.ts';
import type { Finding, Rule } from '../../../rulebook/rule.ts';
import { groupByReasoning, itemId, pairingId } from '../items.ts';
import type { FinalReply } from '../response/final-items.ts';
import type { ResponsesQuirks, ResponsesTraits } from '../traits.ts';
import { readQuirks, readTraits } from '../traits.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, stringOf } from '../wire.ts';

/** A parsed request body; nothing is known about it until the rules have looked at it. */
export type ResponsesBody = WireItem;
export type ResponsesRule = Rule<ResponsesBody, RuleContext>;

/** How an item appeared in the reply that it comes from. */
export interface IssuedItem {
  /** The reasoning that led to it. */
  readonly reasoning: readonly string[];
  /** The same reasoning by its encrypted content, which identifies it if it is sent back without an id. */
  readonly sealed: readonly string[];
  /** For reasoning: the item that came right after it. */
  readonly follower: string | null;
  readonly phase: string | null;
}

export interface RuleContext {
  readonly model: ModelInfo;
  readonly traits: ResponsesTraits;
  readonly quirks: ResponsesQuirks;
  /** By item id and by call id. Absent if only a body is known: the rules that need it then report nothing. */
  readonly issued?: ReadonlyMap<string, IssuedItem>;
}

export function ruleContext(model: ModelInfo, deployment: Pick<Deployment, 'quirks' | 'baseUrl'>): RuleContext {
  return { model, traits: readTraits(model), quirks: readQuirks(deployment) };
}

/** What the replies of a context say about their items. Reasoning that was left out on purpose is not required. */
export function issuedItems(replies: ReadonlyMap<ContextItem, FinalReply>): ReadonlyMap<string, IssuedItem> {
  const issued = new Map<string, IssuedItem>();
  for (const [context, reply] of replies) {
    for (const group of groupByReasoning(reply.items, ({ item }) => item)) {
      const kept = context.reasoning === 'omit' ? [] : group.reasoning.map(({ item }) => item);
      const reasoning = kept.flatMap((item) => itemId(item) ?? []);
      const sealed = kept.flatMap((item) => stringOf(item['encrypted_content']) ?? []);
      const first = group.items[0]?.item;
      const follower = first === undefined ? null : (itemId(first) ?? null);
      for (const id of reasoning) issued.set(id, { reasoning: [], sealed: [], follower, phase: null });
      for (const { item } of group.items) {
        const facts = { reasoning, sealed, follower: null, phase: stringOf(item['phase']) ?? null };
        for (const id of [itemId(item), pairingId(item)]) if (id !== undefined) issued.set(id, facts);
      }
    }
  }
  return issued;
}

export interface Placed {
  readonly item: WireItem;
  readonly at: number;
}

/** The items of `input` with their places; a text input has none. */
export function placedItems(body: ResponsesBody): readonly Placed[] {
  const input = body['input'];
  if (!Array.isArray(input)) return [];
  return input.flatMap((value: unknown, at) => {
    const item = objectOf(value);
    return item === undefined ? [] : [{ item, at }];
  });
}

export function withItems(body: ResponsesBody, items: readonly WireItem[]): ResponsesBody {
  return { ...body, input: items };
}

/** Same body, each item changed, kept or (for undefined) left out. */
export function mapItems(
  body: ResponsesBody,
  change: (item: WireItem, at: number) => WireItem | undefined,
): ResponsesBody {
  const items = placedItems(body).flatMap(({ item, at }): WireItem[] => {
    const changed = change(item, at);
    return changed === undefined ? [] : [changed];
  });
  return Array.isArray(body['input']) ? withItems(body, items) : body;
}

export function rejection(path: string, message: string, errorCode?: string): Finding {
  return { path, message, status: 400, ...(errorCode !== undefined && { errorCode }) };
}

/** OpenAI's own rules; a server of open weights checks none of this. */
export const isOpenAi = (context: RuleContext): boolean => context.quirks.dialect === 'openai';
