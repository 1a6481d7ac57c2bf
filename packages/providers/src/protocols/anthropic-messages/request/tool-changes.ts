import type { ContentBlock, ContextItem, ToolDefinition } from '@bough/core';
import { isToolChangeBlock, stableDeepEqual } from '@bough/core';
import { withoutLoneSurrogates } from '../../../render/json-text.ts';

/** The definition of a tool, as `tools` holds it. */
export function toolOf({ name, description, inputSchema }: ToolDefinition) {
  return { name, description, input_schema: { type: 'object', ...inputSchema } };
}

/**
 * What a request says where its tools change: a tool is defined where it appears for the first time, and named from
 * then on. The API knows those that the request began with, and all that were defined before.
 */
export class ToolChanges {
  readonly #defined: Set<string>;

  constructor(atStart: readonly ToolDefinition[]) {
    this.#defined = new Set(atStart.map(({ name }) => name));
  }

  /** The changes that an item brings, as JSON of content blocks. */
  fragments({ message }: ContextItem): readonly string[] {
    const blocks: readonly ContentBlock[] = message.content;
    return blocks
      .filter(isToolChangeBlock)
      .flatMap(({ before, after }) => [
        ...after
          .filter((tool) => !before.some((old) => stableDeepEqual(old, tool)))
          .map((tool) => this.#addition(tool)),
        ...before.filter(({ name }) => !after.some((tool) => tool.name === name)).map(({ name }) => removal(name)),
      ]);
  }

  #addition(tool: ToolDefinition): string {
    const { name } = tool;
    const isDefined = this.#defined.has(name);
    this.#defined.add(name);
    return change('tool_addition', isDefined ? reference(name) : { type: 'tool_definition', definition: toolOf(tool) });
  }
}

const reference = (name: string) => ({ type: 'tool_reference', name });

const removal = (name: string): string => change('tool_removal', reference(name));

function change(type: 'tool_addition' | 'tool_removal', tool: object): string {
  return withoutLoneSurrogates(JSON.stringify({ type, tool }));
}
