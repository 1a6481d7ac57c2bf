import type { ThinkingSetting, ToolDefinition } from '@bough/core';
import type { ClientBody, ClientMessage, ClientPart } from '../../dialect.ts';
import { effortOf } from '../effort.ts';
import type { ReadDialect } from '../reader.ts';
import type { Json } from '../json.ts';
import { countOf, listOf, objectOf, objectsOf, stringOf, wordOf } from '../json.ts';
import { PartDraft } from '../part.ts';
import { elementSpans, memberSpans } from '../scan.ts';
import { field, openApiSchema } from './fields.ts';

export const readGemini: ReadDialect = (body, text, pathModel, callsBefore = 0) => {
  const list = memberSpans(text)?.get('contents');
  const spans = list === undefined ? null : elementSpans(text, list.from);
  const values = body['contents'];
  const [name, operation] = (pathModel ?? wordOf(body['model']) ?? '').replace(/^models\//, '').split(':');
  if (spans === null || !Array.isArray(values) || name === undefined || name === '') return null;
  const calls = new OpenCalls(callsBefore);
  const messages: ClientMessage[] = [];
  for (const [at, span] of spans.entries()) {
    const content = objectOf(values[at]);
    const parts = content === undefined ? null : partsOf(content, calls);
    if (parts === null) return null;
    messages.push({ ...span, parts });
  }
  const config = objectOf(field(body, 'generationConfig'));
  const tools = objectsOf(field(body, 'tools'));
  return {
    protocol: 'gemini',
    model: name,
    stream: operation?.startsWith('stream') === true,
    system: systemTexts(field(body, 'systemInstruction')),
    tools: tools.flatMap((tool) => objectsOf(field(tool, 'functionDeclarations')).flatMap(toolOf)),
    providerTools: tools.filter((tool) => field(tool, 'functionDeclarations') === undefined),
    toolChoice: toolChoiceOf(objectOf(field(objectOf(field(body, 'toolConfig')), 'functionCallingConfig'))),
    thinking: thinkingOf(objectOf(field(config, 'thinkingConfig'))),
    maxTokens: countOf(field(config, 'maxOutputTokens')),
    messages,
    text,
  };
};

/** Calls and results that have no ids are paired by name and order, as Gemini itself pairs them. */
class OpenCalls {
  #calls: { readonly id: string; readonly name: string }[] = [];
  #count: number;

  constructor(before: number) {
    this.#count = before;
  }

  /** A new reply: what is open from the one before stays unanswered. */
  begin(): void {
    this.#calls = [];
  }

  call(own: string | undefined, name: string): string {
    this.#count += 1;
    const id = own ?? `call_${this.#count}`;
    this.#calls.push({ id, name });
    return id;
  }

  answer(own: string | undefined, name: string): string {
    const at = this.#calls.findIndex((call) => (own === undefined ? call.name === name : call.id === own));
    const [call] = at < 0 ? [] : this.#calls.splice(at, 1);
    return own ?? call?.id ?? 'unknown';
  }
}

/** Null for a role that the API does not have. Each response of a function is a part. */
function partsOf(content: Json, calls: OpenCalls): readonly ClientPart[] | null {
  const role = content['role'] ?? 'user';
  const parts = objectsOf(content['parts']);
  if (role === 'model') return [replyOf(parts, calls)];
  if (role !== 'user' && role !== 'function') return null;
  const read: ClientPart[] = [];
  let draft = new PartDraft('user');
  for (const part of parts) {
    const response = objectOf(field(part, 'functionResponse'));
    if (response === undefined) {
      given(draft, part);
      continue;
    }
    if (!draft.isEmpty) read.push(draft.build());
    draft = new PartDraft('user');
    const result = resultOf(response, calls);
    const isRepeated = wordOf(response['id']) !== undefined && read.some((before) => isSame(before, result));
    if (!isRepeated) read.push(result);
  }
  return draft.isEmpty && read.length > 0 ? read : [...read, draft.build()];
}

/** Gemini CLI says results twice in conversations that it resumes. A call has one. */
const isSame = (one: ClientPart, other: ClientPart): boolean =>
  one.toolCallId === other.toolCallId && one.likeness === other.likeness;

function replyOf(parts: readonly Json[], calls: OpenCalls): ClientPart {
  calls.begin();
  const draft = new PartDraft('assistant');
  for (const part of parts) {
    const text = stringOf(part['text']);
    const call = objectOf(field(part, 'functionCall'));
    const name = wordOf(call?.['name']);
    const signature = wordOf(field(part, 'thoughtSignature'));
    if (name !== undefined) {
      const id = calls.call(wordOf(call?.['id']), name);
      draft.block({ type: 'tool-use', id, name, parameters: objectOf(call?.['args']) ?? {} });
    } else if (text === undefined) other(draft, part);
    else if (part['thought'] === true) draft.block({ type: 'thinking', thinking: text });
    else draft.text(text);
    if (signature !== undefined) draft.block({ type: 'thinking_signature', signature });
  }
  return draft.build();
}

function resultOf(response: Json, calls: OpenCalls): ClientPart {
  const draft = new PartDraft('tool');
  const value = response['response'];
  draft.text(resultText(value));
  for (const part of objectsOf(response['parts'])) given(draft, part);
  const toolCallId = calls.answer(wordOf(response['id']), stringOf(response['name']) ?? '');
  return draft.build({ toolCallId, isError: isFailure(value) });
}

/** Clients wrap the text of a result into an object of one key, because Gemini takes nothing else. */
function resultText(value: unknown): string {
  const entries = Object.entries(objectOf(value) ?? {});
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && WRAPPERS.has(only[0]) && typeof only[1] === 'string')
    return only[1];
  return value === undefined ? '' : (JSON.stringify(value) ?? '');
}

const WRAPPERS: ReadonlySet<string> = new Set(['output', 'result', 'content', 'error']);

const isFailure = (value: unknown): boolean => {
  const keys = Object.keys(objectOf(value) ?? {});
  return keys.length === 1 && keys[0] === 'error';
};

/** What a person, a program or a tool gives. */
function given(draft: PartDraft, part: Json): void {
  const text = stringOf(part['text']);
  const inline = objectOf(field(part, 'inlineData'));
  const data = stringOf(inline?.['data']);
  if (text !== undefined) draft.text(text);
  else if (data !== undefined) {
    const mediaType = wordOf(field(inline, 'mimeType')) ?? 'application/octet-stream';
    draft.file(mediaType, wordOf(field(inline, 'displayName')) ?? null, data);
  } else other(draft, part);
}

/** As the reply of the provider itself is read. */
function other(draft: PartDraft, part: Json): void {
  const { thoughtSignature: _, thought_signature: _old, thought, ...payload } = part;
  const [name] = Object.keys(payload);
  if (name === undefined) return;
  const address = wordOf(field(objectOf(field(part, 'fileData')), 'fileUri'));
  const whole = { part: thought === true ? { ...payload, thought } : payload };
  draft.other(`gemini:${name}`, whole, address === undefined ? name : `${name} ${address}`);
}

function systemTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return objectsOf(objectOf(value)?.['parts']).flatMap((part) => wordOf(part['text']) ?? []);
}

function toolOf(declaration: Json): readonly ToolDefinition[] {
  const name = wordOf(declaration['name']);
  if (name === undefined) return [];
  const json = objectOf(field(declaration, 'parametersJsonSchema'));
  const inputSchema = json ?? openApiSchema(objectOf(declaration['parameters'])) ?? { type: 'object', properties: {} };
  return [{ name, description: stringOf(declaration['description']) ?? '', inputSchema }];
}

function toolChoiceOf(config: Json | undefined): ClientBody['toolChoice'] {
  switch (stringOf(config?.['mode'])?.toUpperCase()) {
    case 'NONE':
      return 'none';
    case 'ANY': {
      const [name, ...more] = listOf(field(config, 'allowedFunctionNames'));
      return typeof name === 'string' && more.length === 0 ? { name } : 'required';
    }
    default:
      return 'auto';
  }
}

function thinkingOf(config: Json | undefined): ThinkingSetting | null {
  const budget = field(config, 'thinkingBudget');
  if (budget === 0) return 'off';
  const budgetTokens = countOf(budget);
  return budgetTokens === null ? effortOf(field(config, 'thinkingLevel')) : { budgetTokens };
}
