import type { ToolDefinition } from '@bough/core';
import type { ClientBody, ClientMessage, ClientPart } from '../../dialect.ts';
import { effortOf } from '../effort.ts';
import type { ReadDialect } from '../reader.ts';
import type { Json } from '../json.ts';
import { argumentsOf, countOf, objectOf, objectsOf, stringOf, withoutMarks, wordOf } from '../json.ts';
import { keepsFile } from '../openai-files.ts';
import { PartDraft } from '../part.ts';
import { elementSpans, memberSpans } from '../scan.ts';

export const readChat: ReadDialect = (body, text) => {
  const list = memberSpans(text)?.get('messages');
  const spans = list === undefined ? null : elementSpans(text, list.from);
  const values = body['messages'];
  const model = wordOf(body['model']);
  if (spans === null || !Array.isArray(values) || model === undefined) return null;
  const system: string[] = [];
  const messages: ClientMessage[] = [];
  for (const [at, span] of spans.entries()) {
    const message = objectOf(values[at]);
    if (message === undefined) return null;
    // Instructions at the beginning are the system prompt; further down they are messages in their place.
    if (messages.length === 0 && isInstruction(message)) system.push(...instructionTexts(message['content']));
    else {
      const part = partOf(message);
      if (part === null) return null;
      messages.push({ ...span, parts: [part] });
    }
  }
  const tools = objectsOf(body['tools']);
  return {
    protocol: 'openai-chat',
    model,
    stream: body['stream'] === true,
    system,
    tools: [...tools.flatMap(toolOf), ...objectsOf(body['functions']).flatMap(functionOf)],
    providerTools: tools.filter((tool) => toolOf(tool).length === 0),
    toolChoice: toolChoiceOf(body['tool_choice'] ?? body['function_call']),
    thinking: effortOf(body['reasoning_effort'] ?? objectOf(body['reasoning'])?.['effort']),
    maxTokens: countOf(body['max_completion_tokens']) ?? countOf(body['max_tokens']),
    messages,
    text,
  };
};

const isInstruction = ({ role }: Json): boolean => role === 'system' || role === 'developer';

/** A string is one text part. */
const partsIn = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);

const instructionTexts = (content: unknown): readonly string[] =>
  partsIn(content).flatMap((part) => wordOf(part['text']) ?? []);

/** Null for a role that the API does not have. */
function partOf(message: Json): ClientPart | null {
  const { role, content } = message;
  switch (role) {
    case 'assistant':
      return replyOf(message);
    case 'user':
      return givenTo(new PartDraft('user'), content).build();
    case 'system':
    case 'developer':
      return givenTo(new PartDraft('system'), content).build();
    case 'tool':
    case 'function': {
      const toolCallId = wordOf(message['tool_call_id']) ?? wordOf(message['name']) ?? 'unknown';
      return givenTo(new PartDraft('tool'), content).build({ toolCallId });
    }
    default:
      return null;
  }
}

function replyOf(message: Json): ClientPart {
  const draft = new PartDraft('assistant');
  const reasoning = wordOf(message['reasoning_content']) ?? wordOf(message['reasoning']);
  if (reasoning !== undefined) draft.block({ type: 'thinking', thinking: reasoning });
  if (Array.isArray(message['reasoning_details'])) {
    draft.other('reasoning_details', { reasoning_details: message['reasoning_details'] });
  }
  for (const part of partsIn(message['content'])) {
    if (part['type'] === 'text') taggedText(draft, stringOf(part['text']) ?? '');
    else draft.other(wordOf(part['type']) ?? 'unknown', withoutMarks(part) as Json);
  }
  const refusal = wordOf(message['refusal']);
  if (refusal !== undefined) draft.other('refusal', { refusal });
  for (const call of objectsOf(message['tool_calls'])) callOf(draft, call);
  const old = objectOf(message['function_call']);
  if (old !== undefined) callOf(draft, { id: old['name'], type: 'function', function: old });
  return draft.build();
}

/** Some servers think aloud between tags at the very beginning; clients send that back, or do not. */
function taggedText(draft: PartDraft, text: string): void {
  const tagged = draft.isEmpty ? /^\s*<think>([\s\S]*?)(?:<\/think>|$)/.exec(text) : null;
  if (tagged === null) draft.text(text);
  else draft.block({ type: 'thinking', thinking: tagged[1] ?? '' }).text(text.slice(tagged[0].length));
}

function callOf(draft: PartDraft, call: Json): void {
  const custom = objectOf(call['custom']);
  const fn = objectOf(call['function']) ?? custom;
  const id = wordOf(call['id']);
  const name = wordOf(fn?.['name']);
  const input = stringOf(custom?.['input']);
  const parameters = input === undefined ? argumentsOf(fn?.['arguments']) : { input };
  // Arguments that are no object cannot be a call here; the model will not have them called either.
  if (id === undefined || name === undefined || parameters === undefined) draft.other('tool_call', call);
  else draft.block({ type: 'tool-use', id, name, parameters });
}

/** What a person, a program or a tool gives. */
function givenTo(draft: PartDraft, content: unknown): PartDraft {
  for (const part of partsIn(content)) {
    const type = wordOf(part['type']) ?? 'unknown';
    if (type === 'text') draft.text(stringOf(part['text']) ?? '');
    else if (
      !keepsFile(draft, part, {
        image: objectOf(part['image_url'])?.['url'] ?? part['image_url'],
        file: objectOf(part['file']),
      })
    )
      draft.other(type, part, [type, ...addressesIn(part)].join(' '));
  }
  return draft;
}

const addressesIn = (part: Json): readonly string[] =>
  [objectOf(part['image_url'])?.['url'], objectOf(part['file'])?.['file_id']].flatMap((value) => wordOf(value) ?? []);

/** A tool that takes any text instead of an object is a function with one parameter, as its calls are kept. */
function toolOf(tool: Json): readonly ToolDefinition[] {
  const custom = objectOf(tool['custom']);
  return custom === undefined ? functionOf(objectOf(tool['function']) ?? {}) : freeformTool(custom);
}

function functionOf(fn: Json): readonly ToolDefinition[] {
  const name = wordOf(fn['name']);
  if (name === undefined) return [];
  const inputSchema = objectOf(fn['parameters']) ?? { type: 'object', properties: {} };
  return [{ name, description: stringOf(fn['description']) ?? '', inputSchema }];
}

export function freeformTool(tool: Json): readonly ToolDefinition[] {
  const name = wordOf(tool['name']);
  if (name === undefined) return [];
  const inputSchema = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
  return [{ name, description: stringOf(tool['description']) ?? '', inputSchema }];
}

function toolChoiceOf(choice: unknown): ClientBody['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const object = objectOf(choice);
  const inner = objectOf(object?.['function']) ?? objectOf(object?.['custom']) ?? object;
  const name = wordOf(inner?.['name']);
  if (name !== undefined) return { name };
  return objectOf(object?.['allowed_tools'])?.['mode'] === 'required' ? 'required' : 'auto';
}
