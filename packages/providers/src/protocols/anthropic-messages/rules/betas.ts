import { isPlainObject } from '@bough/core';
import type { Finding } from '../../../rulebook/rule.ts';
import type { Body, WireBlock } from '../wire.ts';
import { messagesOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

// Parts of a body that exist only for requests that name a beta. The first name of each list is the one that the
// builder adds; any of them will do.

const TOOL_CHANGES = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];
const INLINE_TOOLS = ['inline-tools-2026-09-15'];
const OUTPUT_CONFIG = ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'];
const CLEAR_AT = ['mid-conversation-system-clear-at-2026-08-21'];
const ADVISOR = ['advisor-tool-2026-03-01'];
const SUMMARIES = ['compact-2026-09-04'];
const COMPACTION = ['compact-2026-01-12', ...SUMMARIES];
const MCP_LISTING = ['mcp-client-2026-09-15'];
const MCP = ['mcp-client-2025-11-20', 'mcp-client-2025-04-04', ...MCP_LISTING];

const OF_BODY: Readonly<Record<string, readonly string[]>> = {
  compaction: SUMMARIES,
  context_management: ['context-management-2025-06-27', ...COMPACTION],
  thread: ['message-threads-2026-08-12'],
  mcp_servers: MCP,
  fallbacks: ['server-side-fallback-2026-07-01', 'server-side-fallback-2026-06-01'],
  fallback_credit_token: ['fallback-credit-2026-07-01', 'fallback-credit-2026-06-01'],
};

const OF_MESSAGE: Readonly<Record<string, readonly string[]>> = { output_config: OUTPUT_CONFIG, clear_at: CLEAR_AT };

/** A part of the body, the betas of which one unlocks it, and what the API says without it. */
interface Locked {
  readonly betas: readonly string[];
  readonly refusal: Finding;
}

const extraInput = (path: string): Finding => finding(path, `${path}: Extra inputs are not permitted`);
const unknownTag = (path: string, tag: string): Finding =>
  finding(path, `${path}: Input tag '${tag}' found using 'type' does not match any of the expected tags`);

function lockedBlock(block: WireBlock): readonly Locked[] {
  const { value, type, path } = block;
  const locked = (...betas: readonly string[]): Locked => ({ betas, refusal: unknownTag(path, type) });
  switch (type) {
    case 'tool_addition':
      return [locked(...TOOL_CHANGES), ...lockedDefinition(value['tool'], `${path}.tool`)];
    case 'tool_removal':
      return [locked(...TOOL_CHANGES)];
    case 'compaction':
      return [locked(...(typeof value['signature'] === 'string' ? SUMMARIES : COMPACTION))];
    case 'mcp_tool_listing':
      return [locked(...MCP_LISTING)];
    case 'mcp_tool_use':
    case 'mcp_tool_result':
      return [locked(...MCP)];
    case 'server_tool_use':
      return value['name'] === 'advisor' ? [locked(...ADVISOR)] : [];
    case 'advisor_tool_result':
      return [locked(...ADVISOR)];
    default:
      return [];
  }
}

function lockedDefinition(tool: unknown, path: string): readonly Locked[] {
  if (!isPlainObject(tool) || tool['type'] !== 'tool_definition') return [];
  const refusal = unknownTag(path, 'tool_definition');
  const { definition } = tool;
  return [
    { betas: INLINE_TOOLS, refusal },
    ...(isPlainObject(definition) && definition['type'] === 'mcp_toolset' ? [{ betas: MCP_LISTING, refusal }] : []),
  ];
}

const TOOL_TYPES: Readonly<Record<string, readonly string[]>> = { advisor_20260301: ADVISOR, mcp_toolset: MCP };

function lockedTools({ tools }: Body): readonly Locked[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.flatMap((tool, index) => {
    const type = isPlainObject(tool) ? String(tool['type']) : '';
    const betas = Object.hasOwn(TOOL_TYPES, type) ? TOOL_TYPES[type] : undefined;
    return betas === undefined ? [] : [{ betas, refusal: unknownTag(`tools.${index}`, type) }];
  });
}

function lockedKeys(value: Body, table: Readonly<Record<string, readonly string[]>>, path: string): readonly Locked[] {
  return Object.entries(table).flatMap(([key, betas]) =>
    value[key] === undefined || value[key] === null ? [] : [{ betas, refusal: extraInput(`${path}${key}`) }],
  );
}

function lockedParts(body: Body): readonly Locked[] {
  const messages: unknown = body['messages'];
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return [
    ...lockedKeys(body, OF_BODY, ''),
    ...lockedTools(body),
    ...list.flatMap((message, index) =>
      isPlainObject(message) && message['role'] === 'system'
        ? lockedKeys(message, OF_MESSAGE, `messages.${index}.`)
        : [],
    ),
    ...messagesOf(body).flatMap(({ blocks }) => blocks.flatMap(lockedBlock)),
  ];
}

/** The betas that a body needs beside those that are named already, once each. */
export function missingBetas(body: Body, named: readonly string[]): readonly string[] {
  const betas = new Set(named);
  for (const locked of lockedParts(body)) {
    const [first] = locked.betas;
    if (first !== undefined && !locked.betas.some((beta) => betas.has(beta))) betas.add(first);
  }
  return [...betas].slice(new Set(named).size);
}

const partsAreUnlocked: ClaudeRule = {
  id: 'ANT-BETA-1',
  title: 'What a beta brought is sent only with the name of that beta in the `anthropic-beta` header.',
  reference: DOCS.betas,
  kind: 'rejection',
  check: (body, { betas }) =>
    lockedParts(body)
      .filter((locked) => !locked.betas.some((beta) => betas.includes(beta)))
      .map(({ refusal }) => refusal),
};

export const betaRules: readonly ClaudeRule[] = [partsAreUnlocked];
