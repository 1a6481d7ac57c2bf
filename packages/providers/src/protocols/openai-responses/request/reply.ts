import type { ContextItem } from '@bough/core';
import type { ItemGroup } from '../items.ts';
import {
  groupByReasoning,
  isAcceptableId,
  isAsync,
  isFunctionCall,
  isMessage,
  isProgram,
  isProgramOutput,
  itemId,
  messageText,
  needsAnswer,
  pairingId,
  programOf,
} from '../items.ts';
import type { FinalItem, FinalReply } from '../response/final-items.ts';
import { parseArguments } from '../response/call-item.ts';
import type { ResponsesQuirks } from '../traits.ts';
import type { WireItem } from '../wire.ts';
import { listOf, objectsOf, stringOf, typeOf, without } from '../wire.ts';
import { codeAsText, CONTAINER_GONE, ranInContainer } from './containers.ts';
import type { CallIds } from './tool-ids.ts';
import type { RenderedItems } from './message.ts';
import { assistantMessage } from './message.ts';

type Note = RenderedItems['notes'][number];

/**
 * The provider's own items, to be sent back to it. What was generated together is sent back together with its ids, or
 * without the reasoning and without any ids: the API checks one against the other.
 */
export function replyItems(
  item: ContextItem,
  reply: FinalReply,
  callIds: CallIds,
  quirks: ResponsesQuirks,
  { answered, lostPrograms, mayUseContainers }: ReplyScope,
): RenderedItems {
  const notes: Note[] = [];
  const items = groupByReasoning(reply.items, (candidate) => candidate.item).flatMap((group) => {
    const kept = group.items.filter((candidate) => isSendable(candidate, answered));
    const isGone = !mayUseContainers && kept.some((candidate) => ranInContainer(candidate.item));
    const whole = isWholeGroup(group, kept, item, quirks);
    const reasoning = whole ? group.reasoning.map((candidate) => inputReasoning(candidate.item, quirks)) : [];
    const together = [...reasoning, ...kept.map((candidate) => candidate.item)];
    if (whole && !isGone && kept.every(isFinal) && together.every((wire) => hasAcceptableId(wire, quirks))) {
      return together;
    }
    if (isGone) notes.push(CONTAINER_GONE);
    if (!whole) notes.push(...reasoningNotes(group, item));
    return [
      ...reasoning.map((wire) => without(wire, 'id')),
      ...kept.flatMap(({ item: wire }) =>
        isGone && ranInContainer(wire) ? [codeAsText(wire)] : withoutId(wire, group.reasoning.length > 0, notes),
      ),
    ];
  });
  for (const program of reply.items.map((candidate) => candidate.item).filter(isProgram)) {
    const id = stringOf(program['call_id']);
    if (id !== undefined && !items.some((wire) => isProgram(wire) && wire['call_id'] === id)) lostPrograms.add(id);
  }
  return { items: withoutLostPrograms(items, lostPrograms, notes).map((wire) => withCallId(wire, callIds)), notes };
}

/** What is known about a reply from the items around it. */
export interface ReplyScope {
  /** The calls of this reply whose results are sent. */
  readonly answered: ReadonlySet<string>;
  /** Programs of this and earlier replies that are not sent; replies add theirs. */
  readonly lostPrograms: Set<string>;
  /** False if the containers of earlier code are gone. */
  readonly mayUseContainers: boolean;
}

/**
 * A program, its calls and its result are one atom. Without the program, its calls go back as calls of the model
 * itself, and what it returned stays out.
 */
function withoutLostPrograms(items: readonly WireItem[], lost: ReadonlySet<string>, notes: Note[]): WireItem[] {
  if (lost.size === 0) return [...items];
  return items.flatMap((item): WireItem[] => {
    if (lost.has(programOf(item) ?? '')) return [without(item, 'caller')];
    if (!isProgramOutput(item) || !lost.has(stringOf(item['call_id']) ?? '')) return [item];
    notes.push({
      reason: 'custom_block_not_sent',
      detail: 'The result of a program cannot be sent back without the program.',
    });
    return [];
  });
}

/** Complete, and not a call that waits for its result. Of an incomplete item, only the text of a message is sent. */
function isSendable({ item, complete }: FinalItem, answered: ReadonlySet<string>): boolean {
  if (isMessage(item)) return messageText(item) !== '';
  if (!complete) return false;
  if (!needsAnswer(item)) return true;
  const callId = pairingId(item);
  if (callId === undefined || (isFunctionCall(item) && !hasValidArguments(item))) return false;
  return isAsync(item) || answered.has(callId);
}

const hasValidArguments = (item: WireItem): boolean => parseArguments(stringOf(item['arguments']) ?? '') !== undefined;

/** Reasoning is sent back only with the very item that it led to, and only if the API can read it. */
function isWholeGroup(
  group: ItemGroup<FinalItem>,
  kept: readonly FinalItem[],
  item: ContextItem,
  quirks: ResponsesQuirks,
): boolean {
  if (item.reasoning === 'omit') return false;
  if (group.reasoning.length === 0) return true;
  const follower = group.items[0];
  return (
    follower !== undefined &&
    isFinal(follower) &&
    kept[0] === follower &&
    group.reasoning.every((candidate) => candidate.complete && isReadable(candidate.item, quirks))
  );
}

/** A message that the limit on tokens cut is final, and is known to the provider as such. */
function isFinal({ item, complete, final }: FinalItem): boolean {
  return complete || (final && isMessage(item));
}

function isReadable(item: WireItem, quirks: ResponsesQuirks): boolean {
  const encrypted = stringOf(item['encrypted_content']);
  if (encrypted !== undefined && encrypted !== '') return true;
  return quirks.dialect === 'open' && listOf(item['content']).length > 0;
}

function reasoningNotes(group: ItemGroup<FinalItem>, item: ContextItem): Note[] {
  if (item.reasoning === 'omit' || group.reasoning.length === 0) return [];
  const unsigned = group.reasoning.some(
    ({ item: reasoning }) => stringOf(reasoning['encrypted_content']) === undefined,
  );
  return [
    unsigned
      ? { reason: 'thinking_unsigned', detail: 'The reasoning came without encrypted content and cannot be sent back.' }
      : {
          reason: 'thinking_not_replayable',
          detail: 'The reply broke off after its reasoning, so the reasoning stays out.',
        },
  ];
}

/**
 * The API refuses `status` on reasoning that is sent back, requires `summary`, and takes plain text only in one
 * dialect.
 */
function inputReasoning(item: WireItem, quirks: ResponsesQuirks): WireItem {
  const plain = quirks.dialect === 'openai' && listOf(item['content']).length > 0;
  const input = without(item, 'status', ...(plain ? ['content'] : []));
  return Array.isArray(input['summary']) ? input : { ...input, summary: [] };
}

function hasAcceptableId(item: WireItem, quirks: ResponsesQuirks): boolean {
  const id = itemId(item);
  return id !== undefined && (quirks.dialect === 'open' || isAcceptableId(item, id));
}

/** Calls that are whole without their item id: their results name the call id. */
const CALLS_WITHOUT_ID: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'shell_call',
  'apply_patch_call',
]);
/** What stands for a whole conversation is never left out; it does not belong to the reasoning before it. */
const SELF_CONTAINED: ReadonlySet<string> = new Set(['compaction', 'additional_tools']);

/** The form that the API does not look up. An item that needs its id is left out if the id points to lost reasoning. */
function withoutId(item: WireItem, reasoned: boolean, notes: Note[]): readonly WireItem[] {
  if (isMessage(item)) return [anonymousMessage(item)];
  if (CALLS_WITHOUT_ID.has(typeOf(item)) && needsAnswer(item)) return [anonymousCall(item)];
  if (SELF_CONTAINED.has(typeOf(item))) return [without(item, 'id')];
  if (!reasoned) return [item];
  notes.push({
    reason: 'custom_block_not_sent',
    detail: `An item of type "${typeOf(item)}" cannot be sent back without the reasoning that it belongs to.`,
  });
  return [];
}

/** A patch must say how far it is; the other calls need not. */
function anonymousCall(item: WireItem): WireItem {
  return typeOf(item) === 'apply_patch_call' ? without(item, 'id') : without(item, 'id', 'status');
}

function anonymousMessage(item: WireItem): WireItem {
  const parts = objectsOf(item['content']);
  const content = parts.map((part) => without(part, 'logprobs')).filter((part) => part['text'] !== '');
  const message = { ...assistantMessage([]), content };
  return typeof item['phase'] === 'string' ? { ...message, phase: item['phase'] } : message;
}

function withCallId(item: WireItem, callIds: CallIds): WireItem {
  const id = stringOf(item['call_id']);
  const wire = id === undefined ? undefined : callIds.get(id);
  return wire === undefined || wire === id ? item : { ...item, call_id: wire };
}
