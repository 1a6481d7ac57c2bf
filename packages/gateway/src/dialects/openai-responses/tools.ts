import type { ToolDefinition } from '@bough/core';
import { freeformTool } from '../openai-chat/read.ts';
import type { Json } from '../json.ts';
import { objectOf, objectsOf, stringOf, wordOf } from '../json.ts';

/** A tool that the client runs, and how its calls are written. */
export interface OfferedTool {
  readonly definition: ToolDefinition;
  readonly kind: 'function' | 'custom';
  /** The name in the client's list, without its namespace. */
  readonly name: string;
  readonly namespace: string | null;
}

/** The client's tools from its list and from items that add some; namespaces are flattened. */
export function offeredTools(body: Json): readonly OfferedTool[] {
  const offered = toolLists(body).flatMap((tools) => tools.flatMap((tool) => toolsIn(tool, null)));
  const times = new Map<string, number>();
  for (const { name } of offered) times.set(name, (times.get(name) ?? 0) + 1);
  // A name alone is enough as long as no other tool has it: calls are then written as OpenAI's own models write them.
  return offered.map((tool) =>
    tool.namespace === null || times.get(tool.name) === 1
      ? tool
      : { ...tool, definition: { ...tool.definition, name: `${tool.namespace}__${tool.name}` } },
  );
}

/** What the client does not run itself, as it came. */
export function otherTools(body: Json): readonly Json[] {
  return toolLists(body).flatMap((tools) => tools.filter((tool) => toolsIn(tool, null).length === 0));
}

function toolLists(body: Json): readonly (readonly Json[])[] {
  const added = objectsOf(body['input']).filter((item) => item['type'] === 'additional_tools');
  return [body, ...added].map((holder) => objectsOf(holder['tools']));
}

function toolsIn(tool: Json, namespace: string | null): readonly OfferedTool[] {
  const name = wordOf(tool['name']);
  switch (tool['type']) {
    case 'namespace':
      return objectsOf(tool['tools']).flatMap((inner) => toolsIn(inner, name ?? null));
    case 'function': {
      if (name === undefined) return [];
      const inputSchema = objectOf(tool['parameters']) ?? { type: 'object', properties: {} };
      const definition = { name, description: stringOf(tool['description']) ?? '', inputSchema };
      return [{ definition, kind: 'function', name, namespace }];
    }
    case 'custom':
      return freeformTool(tool).map((definition) => ({ definition, kind: 'custom', name: definition.name, namespace }));
    default:
      return [];
  }
}
