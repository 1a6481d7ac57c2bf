import type { WireItem } from './wire.ts';
import { objectOf, objectsOf, stringOf, typeOf } from './wire.ts';

/** A message may omit its `type`: a role is enough. */
export function isMessage(item: WireItem): boolean {
  return typeOf(item) === 'message' || (item['type'] === undefined && typeof item['role'] === 'string');
}

export function isAssistantMessage(item: WireItem): boolean {
  return isMessage(item) && item['role'] === 'assistant';
}

export const isReasoning = (item: WireItem): boolean => typeOf(item) === 'reasoning';
export const isFunctionCall = (item: WireItem): boolean => typeOf(item) === 'function_call';

/** What the client must answer, and with which item. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['computer_call', 'computer_call_output'],
  ['local_shell_call', 'local_shell_call_output'],
  ['shell_call', 'shell_call_output'],
  ['apply_patch_call', 'apply_patch_call_output'],
  ['tool_search_call', 'tool_search_output'],
]);
const OUTPUTS: ReadonlySet<string> = new Set(ANSWERS.values());

/** The item that answers this one; undefined for an item that nobody answers. */
export const answerType = (item: WireItem): string | undefined => ANSWERS.get(typeOf(item));

/** A call that the client runs. The provider runs some searches and shells itself and answers them in its reply. */
export function needsAnswer(item: WireItem): boolean {
  switch (typeOf(item)) {
    case 'shell_call':
      return !isHostedShell(item);
    case 'tool_search_call':
      return item['execution'] === 'client';
    default:
      return ANSWERS.has(typeOf(item));
  }
}

function isHostedShell(item: WireItem): boolean {
  const environment = stringOf(objectOf(item['environment'])?.['type']);
  return environment !== undefined && environment !== 'local';
}

/** A call that may stay open while the conversation goes on; its result may come in any later request. */
export const isAsync = (item: WireItem): boolean =>
  item['async'] === true && (typeOf(item) === 'function_call' || typeOf(item) === 'custom_tool_call');

export const isAnswer = (item: WireItem): boolean =>
  OUTPUTS.has(typeOf(item)) && (typeOf(item) !== 'tool_search_output' || item['execution'] === 'client');

/** The id that pairs a call with its result. (The result of a local shell may name its call by the item id.) */
export function pairingId(item: WireItem): string | undefined {
  return stringOf(item['call_id']) ?? (typeOf(item).startsWith('local_shell') ? itemId(item) : undefined);
}

/** Whether this result is the answer to this call: by its id, or by the tool's name if the result has no id. */
export function isAnswerTo(answer: WireItem, call: WireItem): boolean {
  if (!isAnswer(answer)) return false;
  const id = pairingId(answer);
  if (id !== undefined) return id === pairingId(call) || (typeOf(call) === 'local_shell_call' && id === itemId(call));
  const sameTool = answer['name'] === call['name'] && (answer['namespace'] ?? null) === (call['namespace'] ?? null);
  return typeof answer['name'] === 'string' && typeOf(answer) === answerType(call) && sameTool;
}

/** The program that made this call (and that its result belongs to), by the call id of the program. */
export function programOf(item: WireItem): string | undefined {
  const caller = objectOf(item['caller']);
  return caller?.['type'] === 'program' ? stringOf(caller['caller_id']) : undefined;
}

export const isProgram = (item: WireItem): boolean => typeOf(item) === 'program';
export const isProgramOutput = (item: WireItem): boolean => typeOf(item) === 'program_output';

export function itemId(item: WireItem): string | undefined {
  const id = stringOf(item['id']);
  return id === '' ? undefined : id;
}

/** Made by the model: anything but a person's message, a result, or a pointer or an instruction to the API. */
export function isGenerated(item: WireItem): boolean {
  if (isMessage(item)) return isAssistantMessage(item);
  return !isAnswer(item) && !CLIENT_ITEMS.has(typeOf(item));
}

const CLIENT_ITEMS: ReadonlySet<string> = new Set([
  'item_reference',
  'compaction_trigger',
  'mcp_approval_response',
  'configuration_update',
  'additional_tools',
]);

/** How the API begins the ids of an item type; it refuses any other prefix. */
export const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['reasoning', 'rs'],
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
]);

export const MAX_ID_LENGTH = 64;

/** True if the API would take this id back on an item of this type. */
export function isAcceptableId(item: WireItem, id: string): boolean {
  const prefix = ID_PREFIXES.get(isMessage(item) ? 'message' : typeOf(item));
  return id.length <= MAX_ID_LENGTH && (prefix === undefined || id.startsWith(prefix));
}

/**
 * What was generated together: a run of reasoning and everything up to the next one. The API requires it back together
 * as long as its items carry ids.
 */
export interface ItemGroup<Item> {
  readonly reasoning: readonly Item[];
  readonly items: readonly Item[];
}

export function groupByReasoning<Item>(items: readonly Item[], itemOf: (item: Item) => WireItem): ItemGroup<Item>[] {
  const groups: { reasoning: Item[]; items: Item[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (isReasoning(itemOf(item))) {
      if (last === undefined || last.items.length > 0) groups.push({ reasoning: [item], items: [] });
      else last.reasoning.push(item);
    } else if (last === undefined) groups.push({ reasoning: [], items: [item] });
    else last.items.push(item);
  }
  return groups;
}

/** The readable text of a message, whatever form its content has. */
export function messageText(item: WireItem): string {
  const content = item['content'];
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => stringOf(part['text']) ?? stringOf(part['refusal']) ?? '')
    .join('');
}
