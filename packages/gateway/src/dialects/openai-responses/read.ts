import type { ClientBody, ClientMessage, ClientPart } from '../../dialect.ts';
import { effortOf } from '../effort.ts';
import type { ReadDialect } from '../reader.ts';
import type { Json } from '../json.ts';
import { argumentsOf, countOf, listOf, objectOf, objectsOf, stringOf, withoutMarks, wordOf } from '../json.ts';
import { keepsFile } from '../openai-files.ts';
import { PartDraft } from '../part.ts';
import type { Span } from '../scan.ts';
import { elementSpans, memberSpans } from '../scan.ts';
import { offeredTools, otherTools } from './tools.ts';

export const readResponses: ReadDialect = (body, text) => {
  const list = memberSpans(text)?.get('input');
  const model = wordOf(body['model']);
  if (list === undefined || model === undefined) return null;
  const history = historyOf(body['input'], text, list);
  if (history === null) return null;
  const instructions = wordOf(body['instructions']);
  return {
    protocol: 'openai-responses',
    model,
    stream: body['stream'] === true,
    system: [...(instructions === undefined ? [] : [instructions]), ...history.system],
    tools: offeredTools(body).map(({ definition }) => definition),
    providerTools: otherTools(body),
    toolChoice: toolChoiceOf(body['tool_choice']),
    thinking: effortOf(objectOf(body['reasoning'])?.['effort']),
    maxTokens: countOf(body['max_output_tokens']),
    messages: history.messages,
    text,
  };
};

interface History {
  /** Instructions before everything else. */
  readonly system: readonly string[];
  readonly messages: readonly ClientMessage[];
}

function historyOf(input: unknown, text: string, list: Span): History | null {
  if (typeof input === 'string') return { system: [], messages: [{ ...list, parts: [textPart(input)] }] };
  const spans = elementSpans(text, list.from);
  if (spans === null || !Array.isArray(input)) return null;
  const system: string[] = [];
  const messages: ClientMessage[] = [];
  let reply: { readonly from: number; to: number; readonly items: Json[] } | null = null;
  const endReply = (): void => {
    if (reply !== null) messages.push({ from: reply.from, to: reply.to, parts: [replyOf(reply.items)] });
    reply = null;
  };
  for (const [at, span] of spans.entries()) {
    const item = objectOf(input[at]);
    if (item === undefined) return null;
    if (isGenerated(item)) {
      // All that the model wrote without being interrupted is one reply.
      reply ??= { from: span.from, to: span.to, items: [] };
      reply.to = span.to;
      reply.items.push(item);
      continue;
    }
    endReply();
    if (messages.length === 0 && isInstruction(item)) system.push(...instructionTexts(item));
    else messages.push({ ...span, parts: [givenPart(item)] });
  }
  endReply();
  return { system, messages };
}

const textPart = (text: string): ClientPart => new PartDraft('user').text(text).build();

const typeOf = (item: Json): string =>
  wordOf(item['type']) ?? (typeof item['role'] === 'string' ? 'message' : 'unknown');

/** Items that no model writes, besides results and messages of other roles. */
const CLIENT_ITEMS: ReadonlySet<string> = new Set([
  'compaction_trigger',
  'mcp_approval_response',
  'configuration_update',
  'additional_tools',
]);

function isGenerated(item: Json): boolean {
  const type = typeOf(item);
  if (type === 'message') return item['role'] === 'assistant';
  return !isResult(item) && !CLIENT_ITEMS.has(type);
}

/** The output of a program or of a search that ran at the provider belongs to its reply. */
function isResult(item: Json): boolean {
  const type = typeOf(item);
  if (type === 'tool_search_output') return item['execution'] === 'client';
  return type.endsWith('_output') && type !== 'program_output';
}

const isInstruction = (item: Json): boolean =>
  typeOf(item) === 'additional_tools' || item['role'] === 'developer' || item['role'] === 'system';

/** A string is one text part. */
const partsIn = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : objectsOf(content);

const instructionTexts = (item: Json): readonly string[] =>
  partsIn(item['content']).flatMap((part) => wordOf(part['text']) ?? []);

function givenPart(item: Json): ClientPart {
  const type = typeOf(item);
  if (isResult(item)) return resultOf(item);
  if (type !== 'message') {
    const role = isInstruction(item) || type !== 'mcp_approval_response' ? 'system' : 'user';
    return new PartDraft(role).other(type, withoutIds(item)).build();
  }
  return givenTo(new PartDraft(isInstruction(item) ? 'system' : 'user'), item['content']).build();
}

function resultOf(item: Json): ClientPart {
  const draft = new PartDraft('tool');
  const { output } = item;
  const single = objectOf(output) ?? {};
  if (typeof output === 'string' || isContent(output)) givenTo(draft, output);
  else if (!keepsFile(draft, single, { image: single['image_url'], file: single })) {
    draft.text(JSON.stringify(output ?? item['results'] ?? item['tools'] ?? '') ?? '');
  }
  return draft.build({
    toolCallId: wordOf(item['call_id']) ?? wordOf(item['id']) ?? wordOf(item['name']) ?? 'unknown',
  });
}

/** Parts of a message; the list that a shell returns is none. */
const isContent = (output: unknown): boolean =>
  Array.isArray(output) && objectsOf(output).every((part) => stringOf(part['type'])?.startsWith('input_') === true);

/** What a person, a program or a tool gives. */
function givenTo(draft: PartDraft, content: unknown): PartDraft {
  for (const part of partsIn(content)) {
    const type = wordOf(part['type']) ?? 'unknown';
    const text = stringOf(part['text']);
    if (text !== undefined && (type.endsWith('_text') || type === 'text')) draft.text(text);
    else if (!keepsFile(draft, part, { image: part['image_url'], file: part }))
      draft.other(type, part, [type, ...addressesIn(part)].join(' '));
  }
  return draft;
}

const addressesIn = (part: Json): readonly string[] =>
  [part['image_url'], part['file_url'], part['file_id']].flatMap((value) => wordOf(value) ?? []);

function replyOf(items: readonly Json[]): ClientPart {
  const draft = new PartDraft('assistant');
  for (const item of items) {
    const type = typeOf(item);
    if (type === 'message') messageOf(draft, item);
    else if (type === 'reasoning') reasoningOf(draft, item);
    else if (type === 'function_call') functionCall(draft, item);
    else if (type.endsWith('_call') && needsAnswer(item)) clientCall(draft, item);
    else draft.other(type, withoutIds(item));
  }
  return draft.build();
}

function messageOf(draft: PartDraft, item: Json): void {
  for (const part of partsIn(item['content'])) {
    const text = stringOf(part['text']);
    if (text !== undefined) draft.text(text);
    else draft.other(wordOf(part['type']) ?? 'unknown', withoutMarks(part) as Json);
  }
}

function reasoningOf(draft: PartDraft, item: Json): void {
  const thinking = [...objectsOf(item['summary']), ...objectsOf(item['content'])]
    .flatMap((part) => wordOf(part['text']) ?? [])
    .join('\n\n');
  const signature = wordOf(item['encrypted_content']);
  if (thinking !== '') draft.block({ type: 'thinking', thinking, ...(signature !== undefined && { signature }) });
  else if (signature !== undefined) draft.block({ type: 'thinking_signature', signature });
  else draft.other('reasoning', withoutIds(item));
}

function functionCall(draft: PartDraft, item: Json): void {
  const id = wordOf(item['call_id']);
  const name = wordOf(item['name']);
  const parameters = argumentsOf(item['arguments']);
  if (id === undefined || name === undefined || parameters === undefined) draft.other('function_call', item);
  else draft.block({ type: 'tool-use', id, name, parameters });
}

/** Calls that the client runs and that are no function's; the provider answers the others itself. */
function needsAnswer(item: Json): boolean {
  switch (typeOf(item)) {
    case 'custom_tool_call':
    case 'computer_call':
    case 'local_shell_call':
    case 'apply_patch_call':
      return true;
    case 'shell_call': {
      const environment = wordOf(objectOf(item['environment'])?.['type']);
      return environment === undefined || environment === 'local';
    }
    case 'tool_search_call':
      return item['execution'] === 'client';
    default:
      return false;
  }
}

/** As the reply of the provider itself is read: `shell_call` is a call of the tool `shell`. */
function clientCall(draft: PartDraft, item: Json): void {
  const type = typeOf(item);
  const id = wordOf(item['call_id']) ?? wordOf(item['id']);
  const name = wordOf(item['name']) ?? type.replace(/_call$/, '');
  if (id === undefined || item['status'] === 'incomplete' || item['status'] === 'in_progress') {
    draft.other(type, withoutIds(item));
  } else draft.block({ type: 'tool-use', id, name, parameters: parametersOf(item) });
}

function parametersOf(item: Json): Json {
  const input = stringOf(item['input']);
  if (input !== undefined) return { input };
  const actions = item['actions'];
  return (
    objectOf(item['action']) ??
    objectOf(item['operation']) ??
    objectOf(item['arguments']) ??
    (Array.isArray(actions) ? { actions: listOf(actions) } : {})
  );
}

/** Ids of items are the client's or the provider's bookkeeping, except where the item is nothing but its id. */
function withoutIds(item: Json): Json {
  if (typeOf(item) === 'item_reference') return item;
  const { id: _, status: _status, ...rest } = item;
  return rest;
}

function toolChoiceOf(choice: unknown): ClientBody['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const object = objectOf(choice);
  const name = wordOf(object?.['name']);
  if (name !== undefined && object?.['type'] !== 'allowed_tools') return { name };
  return object?.['mode'] === 'required' ? 'required' : 'auto';
}
