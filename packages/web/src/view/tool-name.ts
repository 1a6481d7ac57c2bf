import type { ToolView } from '@bough/api/client';

/** Where a tool comes from, and its name there: what is sent to the model is made of both. */
export function toolNameOf(
  name: string,
  tools: readonly Pick<ToolView, 'name' | 'source'>[],
): { readonly server: string | null; readonly tool: string } {
  const source = tools.find((each) => each.name === name)?.source;
  if (source === undefined || source === 'built-in') return { server: null, tool: name };
  const prefix = `${source.replace(/[^a-zA-Z0-9_-]/g, '_')}__`;
  return { server: source, tool: name.startsWith(prefix) ? name.slice(prefix.length) : name };
}
