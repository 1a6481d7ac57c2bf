import type { ToolDefinition } from '@bough/core';
import { createToolBox } from '@bough/engine';

/** The tools that are there without any server, by name. */
export function builtInTools(): ReadonlyMap<string, ToolDefinition> {
  const tools = createToolBox();
  return new Map(tools.definitions(tools.list().map(({ name }) => name)).map((each) => [each.name, each]));
}
