import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';

/** An unknown tool name would fail at the provider, turn after turn. */
export function checkTools(env: Environment, names: readonly string[]): void {
  const known = new Set(env.tools.list().map((tool) => tool.name));
  for (const name of names) {
    if (!known.has(name)) {
      throw new RequestError('unknown_tool', `There is no tool "${name}". Known: ${[...known].join(', ') || 'none'}.`);
    }
  }
}
