import type { World } from '../../world.ts';
import { seal, unseal } from './seal.ts';
import type { Json } from './wire.ts';
import { kindOf, records, text, tokensIn } from './wire.ts';

/** The whole conversation so far in one opaque item. */
export function compactionItem(model: string, world: World): Json {
  const id = world.newId('cmp_', 48);
  const encrypted_content = seal(world, { model, id, follower: '', followerKind: 'compaction' });
  return { id, type: 'compaction', encrypted_content };
}

/** Belongs to its issuer, not to its model; its id may be left out. */
export function isOwnCompaction(item: Json, world: World): boolean {
  const sealed = unseal(world, text(item['encrypted_content']));
  if (sealed === null || sealed.followerKind !== 'compaction') return false;
  return text(item['id']) === '' || text(item['id']) === sealed.id;
}

/** The request asks for nothing but a compaction. */
export function isTriggered(items: readonly Json[]): boolean {
  const last = items.at(-1);
  return last !== undefined && kindOf(last) === 'compaction_trigger';
}

/** The history since the newest compaction is longer than the request allows. */
export function isDue(body: Json, items: readonly Json[]): boolean {
  const newest = items.findLastIndex((item) => kindOf(item) === 'compaction');
  const length = tokensIn(items.slice(newest + 1));
  return records(body['context_management']).some(
    ({ type, compact_threshold: limit }) => type === 'compaction' && typeof limit === 'number' && length > limit,
  );
}

/** What `POST /responses/compact` returns: the user's messages, and everything else in one item. */
export function compactedOutput(items: readonly Json[], model: string, world: World): readonly Json[] {
  const said = items.filter((item) => kindOf(item) === 'message' && item['role'] === 'user');
  return [...said.map((item) => listedItem(item, world)), compactionItem(model, world)];
}

/** An item as the API lists it: with an id, and with its content in parts. */
export function listedItem(item: Json, world: World): Json {
  if (kindOf(item) !== 'message') return { ...item, id: text(item['id']) || world.newId('item_', 48) };
  const content = item['content'];
  return {
    id: text(item['id']) || world.newId('msg_', 48),
    type: 'message',
    status: 'completed',
    role: item['role'],
    content: typeof content === 'string' ? [{ type: 'input_text', text: content }] : content,
  };
}
