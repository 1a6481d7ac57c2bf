import { isPlainObject } from '@bough/core';
import type { ConfigFile } from './file.ts';

const LONGEST = 400;

/** The effects of a file that an attacker would want: programs, addresses, tools without approval; then the rest. */
export function consequencesOf(file: ConfigFile): string {
  const servers = Object.entries(file.mcpServers ?? {}).map(([name, server]) =>
    'url' in server
      ? `connect to ${server.url} (mcpServers.${name})`
      : `run ${quoted([server.command, ...(server.args ?? [])].join(' '))} (mcpServers.${name})`,
  );
  const addresses = Object.entries(file.providers ?? {}).map(([id, provider]) => {
    const { baseUrl, apiKeyEnv } = isPlainObject(provider) ? provider : {};
    const key = typeof apiKeyEnv === 'string' ? ` with the key in ${apiKeyEnv}` : '';
    return typeof baseUrl === 'string' ? `send conversations to ${baseUrl}${key} (providers.${id})` : `change ${id}`;
  });
  const free = Object.entries(file.tools?.approval ?? {}).flatMap(([name, way]) => (way === 'auto' ? [name] : []));
  const tools = free.length === 0 ? [] : [`let ${free.join(', ')} run without asking (tools.approval)`];
  const named = new Set(['$schema', 'mcpServers', 'providers', ...(free.length === 0 ? [] : ['tools'])]);
  const others = Object.keys(file).filter((key) => !named.has(key));
  const rest = others.length === 0 ? [] : [`set ${others.join(', ')}`];
  const all = [...servers, ...addresses, ...tools, ...rest];
  return all.length === 0 ? 'change nothing' : shown(all.join('; '));
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** The text is a stranger's: put on one line, bounded, and stripped of anything that a terminal would obey. */
export function shown(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
