import type { ContentBlock, ToolDefinition } from '@bough/core';
import { isToolUseBlock, replyLikeness, sha256 } from '@bough/core';
import type { ClientBody, ClientPart } from '../dialect.ts';
import { objectOf, objectsOf, wordOf } from '../dialects/json.ts';
import { offeredTools } from '../dialects/openai-responses/tools.ts';
import type { ClientTool } from '../dialects/write.ts';

/** A client's tools under names that every provider takes. */
export interface ToolNames {
  readonly definitions: readonly ToolDefinition[];
  /** What a provider knows a tool as. */
  readonly sentName: (name: string) => string;
  /** The client's tool behind a name that a model calls. One that was never offered keeps its name. */
  readonly toolOf: (sent: string) => ClientTool;
}

export function toolNames(body: ClientBody): ToolNames {
  const tools = clientTools(body);
  const definitions: ToolDefinition[] = [];
  const bySent = new Map<string, ClientTool>();
  for (const { definition, tool } of tools) {
    const name = sentName(definition.name);
    // Of two tools with one name providers take neither; clients mean the first.
    if (bySent.has(name)) continue;
    bySent.set(name, tool);
    definitions.push({ ...definition, name });
  }
  return {
    definitions,
    sentName,
    toolOf: (sent) => bySent.get(sent) ?? { name: sent, kind: 'function', namespace: null },
  };
}

/** Letters, digits, _ and - are what all of them take; a letter first, and no more than 64. */
const TAKEN_BY_ALL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

function sentName(name: string): string {
  if (TAKEN_BY_ALL.test(name)) return name;
  // The hash keeps apart what differs only in what is replaced or cut.
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^[^a-zA-Z_]/, '_');
  return `${safe.slice(0, 55)}_${sha256(name).slice(0, 8)}`;
}

/** The history as the provider is told it: a reply is stored, and found again, under the names that were sent. */
export function withSentNames(body: ClientBody, { sentName: sent }: Pick<ToolNames, 'sentName'>): ClientBody {
  const isCalledSo = (block: ContentBlock): boolean => !isToolUseBlock(block) || sent(block.name) === block.name;
  const renamed = (part: ClientPart): ClientPart => {
    if (part.role !== 'assistant' || part.blocks.every(isCalledSo)) return part;
    const blocks = part.blocks.map((block) => (isToolUseBlock(block) ? { ...block, name: sent(block.name) } : block));
    return { ...part, blocks, likeness: replyLikeness(blocks) };
  };
  return { ...body, messages: body.messages.map((message) => ({ ...message, parts: message.parts.map(renamed) })) };
}

interface Offered {
  readonly definition: ToolDefinition;
  readonly tool: ClientTool;
}

function clientTools(body: ClientBody): readonly Offered[] {
  if (body.protocol === 'openai-responses') {
    return offeredTools(body.json()).map(({ definition, kind, name, namespace }) => ({
      definition,
      tool: { name, kind, namespace },
    }));
  }
  const custom = body.protocol === 'openai-chat' ? customNames(body) : new Set<string>();
  return body.tools.map((definition) => {
    const { name } = definition;
    return { definition, tool: { name, kind: custom.has(name) ? 'custom' : 'function', namespace: null } };
  });
}

function customNames({ json }: ClientBody): ReadonlySet<string> {
  const tools = objectsOf(json()['tools']);
  return new Set(tools.flatMap((tool) => wordOf(objectOf(tool['custom'])?.['name']) ?? []));
}
