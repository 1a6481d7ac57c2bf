import type { ThinkingSetting, ToolDefinition } from '@bough/core';
import type { ClientBody, ClientMessage, ClientPart } from '../../dialect.ts';
import { effortOf } from '../effort.ts';
import type { ReadDialect } from '../reader.ts';
import type { Json } from '../json.ts';
import { countOf, objectOf, objectsOf, stringOf, withoutMarks, wordOf } from '../json.ts';
import { PartDraft } from '../part.ts';
import { elementSpans, memberSpans } from '../scan.ts';

export const readAnthropic: ReadDialect = (body, text) => {
  const list = memberSpans(text)?.get('messages');
  const spans = list === undefined ? null : elementSpans(text, list.from);
  const values = body['messages'];
  const model = wordOf(body['model']);
  if (spans === null || !Array.isArray(values) || model === undefined) return null;
  const messages: ClientMessage[] = [];
  for (const [at, span] of spans.entries()) {
    const message = objectOf(values[at]);
    const parts = message === undefined ? null : partsOf(message);
    if (parts === null) return null;
    messages.push({ from: span.from, to: span.to, parts });
  }
  const tools = objectsOf(body['tools']);
  return {
    protocol: 'anthropic-messages',
    model,
    stream: body['stream'] === true,
    system: textsOf(body['system']),
    tools: tools.filter(isClientTool).map(toolOf),
    providerTools: tools.filter((tool) => !isClientTool(tool)),
    toolChoice: toolChoiceOf(objectOf(body['tool_choice'])),
    thinking: thinkingOf(body),
    maxTokens: countOf(body['max_tokens']),
    messages,
    text,
  };
};

/** A string is one text block. */
export function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

const textsOf = (content: unknown): readonly string[] =>
  blocksOf(content).flatMap((block) => wordOf(block['text']) ?? []);

/** Null for a role that the API does not have. Each result of a tool is a part; what stands between them is another. */
function partsOf({ role, content }: Json): readonly ClientPart[] | null {
  if (role === 'assistant') return [replyOf(blocksOf(content))];
  if (role !== 'user' && role !== 'system') return null;
  const parts: ClientPart[] = [];
  let draft = new PartDraft(role);
  for (const block of blocksOf(content)) {
    if (block['type'] !== 'tool_result') {
      given(draft, block);
      continue;
    }
    if (!draft.isEmpty) parts.push(draft.build());
    draft = new PartDraft(role);
    parts.push(resultOf(block));
  }
  return draft.isEmpty && parts.length > 0 ? parts : [...parts, draft.build()];
}

function replyOf(blocks: readonly Json[]): ClientPart {
  const draft = new PartDraft('assistant');
  for (const block of blocks) {
    const { type, text, thinking, signature, data, id, name } = block;
    if (type === 'text') draft.text(stringOf(text) ?? '');
    else if (type === 'thinking' && typeof thinking === 'string') {
      draft.block({ type, thinking, ...(typeof signature === 'string' && { signature }) });
    } else if (type === 'redacted_thinking' && typeof data === 'string') draft.block({ type, data });
    else if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
      draft.block({ type: 'tool-use', id, name, parameters: objectOf(block['input']) ?? {} });
    } else draft.other(wordOf(type) ?? 'unknown', withoutMarks(block) as Json);
  }
  return draft.build();
}

function resultOf(block: Json): ClientPart {
  const draft = new PartDraft('tool');
  for (const inner of blocksOf(block['content'])) given(draft, inner);
  return draft.build({ toolCallId: wordOf(block['tool_use_id']) ?? 'unknown', isError: block['is_error'] === true });
}

/** What a person, a program or a tool gives. */
function given(draft: PartDraft, block: Json): void {
  const type = wordOf(block['type']) ?? 'unknown';
  const source = objectOf(block['source']);
  const name = wordOf(block['title']) ?? null;
  const mediaType = wordOf(source?.['media_type']);
  const data = stringOf(source?.['data']);
  if (type === 'text') draft.text(stringOf(block['text']) ?? '');
  else if (data !== undefined && source?.['type'] === 'base64') {
    draft.file(mediaType ?? 'application/octet-stream', name, data);
  } else if (data !== undefined && source?.['type'] === 'text') draft.textFile(mediaType ?? 'text/plain', name, data);
  else draft.other(type, block, [type, ...namesIn(block, source)].join(' '));
}

/** What a stand-in can say about a block: where it is, or what it names. */
const namesIn = (block: Json, source: Json | undefined): readonly string[] =>
  [source?.['url'], source?.['file_id'], block['tool_name'], block['title']].flatMap((value) => wordOf(value) ?? []);

/** Tools of Anthropic's own have a type with a date; some of them the client runs, but none has a schema. */
const isClientTool = (tool: Json): boolean =>
  (tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom') &&
  wordOf(tool['name']) !== undefined;

function toolOf(tool: Json): ToolDefinition {
  return {
    name: stringOf(tool['name']) ?? '',
    description: stringOf(tool['description']) ?? '',
    inputSchema: objectOf(tool['input_schema']) ?? { type: 'object', properties: {} },
  };
}

function toolChoiceOf(choice: Json | undefined): ClientBody['toolChoice'] {
  switch (choice?.['type']) {
    case 'any':
      return 'required';
    case 'none':
      return 'none';
    case 'tool': {
      const name = wordOf(choice['name']);
      return name === undefined ? 'required' : { name };
    }
    default:
      return 'auto';
  }
}

function thinkingOf(body: Json): ThinkingSetting | null {
  const thinking = objectOf(body['thinking']);
  const effort = effortOf(objectOf(body['output_config'])?.['effort']);
  switch (thinking?.['type']) {
    case 'disabled':
      return 'off';
    case 'enabled': {
      const budgetTokens = countOf(thinking['budget_tokens']);
      return budgetTokens === null ? (effort ?? 'medium') : { budgetTokens };
    }
    case 'adaptive':
      // Its default when nothing is said.
      return effort ?? 'high';
    default:
      return effort;
  }
}
