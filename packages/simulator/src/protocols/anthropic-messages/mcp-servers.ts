import { isPlainObject } from '@bough/core';
import { letsIn } from '../../remote-mcp/index.ts';
import type { Refusal } from './history.ts';

/** A server that does not let the provider in is the client's mistake. */
export function judgeServers(body: Readonly<Record<string, unknown>>): Refusal | null {
  const servers: readonly unknown[] = Array.isArray(body['mcp_servers']) ? body['mcp_servers'] : [];
  const closed = servers.filter(isPlainObject).find(({ url, authorization_token: token }) => !letsIn(url, token));
  if (closed === undefined) return null;
  const name = String(closed['name']);
  const message = `Invalid authorization token for MCP server '${name}'. Please check your token and try again.`;
  return { rule: 'ANT-SIM-11', message };
}
