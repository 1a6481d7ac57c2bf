import { isPlainObject } from '../blocks/index.ts';
import type { Json } from './read.ts';
import {
  distinct,
  joined,
  lineAt,
  objectAt,
  objectsAt,
  sourceOf,
  stringAt,
  textAt,
  toolUse,
  webAddress,
} from './read.ts';
import type { ProviderToolKind, ProviderToolUse } from './types.ts';

const KINDS: Readonly<Record<string, ProviderToolKind>> = {
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  code_execution: 'code_execution',
  bash_code_execution: 'code_execution',
  text_editor_code_execution: 'code_execution',
};

/** A call: `server_tool_use` or `mcp_tool_use`. */
export function claudeCall(block: Json): ProviderToolUse {
  const input = objectAt(block, 'input');
  if (block['type'] === 'mcp_tool_use') {
    const server = lineAt(block, 'server_name');
    const tool = lineAt(block, 'name') ?? '';
    return toolUse({
      kind: 'remote_mcp',
      name: server === null ? tool : `${server} › ${tool}`,
      code: Object.keys(input).length === 0 ? null : JSON.stringify(input, null, 2),
    });
  }
  const name = stringAt(block, 'name') ?? '';
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const query = lineAt(input, 'query');
  switch (kind) {
    case 'web_search':
      return toolUse({ kind, queries: query === null ? [] : [query] });
    case 'web_fetch': {
      const url = webAddress(input['url']);
      return toolUse({ kind, urls: url === null ? [] : [url] });
    }
    case 'code_execution': {
      const path = lineAt(input, 'path');
      return toolUse({ kind, code: codeOf(input), files: path === null ? [] : [path] });
    }
    default:
      return toolUse({ kind: 'other', name: lineAt(block, 'name'), queries: query === null ? [] : [query] });
  }
}

function codeOf(input: Json): string | null {
  const path = stringAt(input, 'path');
  if (path === null) return textAt(input, 'code') ?? textAt(input, 'command');
  // The editor: which command, on which file, and what it writes.
  const written = textAt(input, 'file_text') ?? textAt(input, 'new_str');
  return joined(`${stringAt(input, 'command') ?? ''} ${path}`.trim(), written);
}

/** A result, whatever its name: `web_search_tool_result`, `bash_code_execution_tool_result`, `mcp_tool_result`, … */
export function claudeResult(block: Json): ProviderToolUse {
  const type = stringAt(block, 'type') ?? '';
  const name = type.replace(/_tool_result$/, '');
  const kind = type === 'mcp_tool_result' ? 'remote_mcp' : Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const content = objectAt(block, 'content');
  const failed = stringAt(content, 'type')?.endsWith('_error') === true;
  if (failed) {
    const error = joined(lineAt(content, 'error_code'), lineAt(content, 'error_message')) ?? 'error';
    return toolUse({ kind: kind ?? 'other', error, state: 'failed' });
  }
  switch (kind) {
    case 'web_search':
      return done(kind, {
        sources: distinct(objectsAt(block, 'content').map(({ url, title }) => sourceOf(url, title))),
      });
    case 'web_fetch': {
      const url = webAddress(content['url']);
      return done(kind, {
        urls: url === null ? [] : [url],
        sources: distinct([sourceOf(url, objectAt(content, 'content')['title'])]),
      });
    }
    case 'code_execution':
      return executed(content);
    case 'remote_mcp': {
      const output = joined(...objectsAt(block, 'content').map((part) => textAt(part, 'text')));
      const isError = block['is_error'] === true;
      return toolUse({ kind, output, error: isError ? 'error' : null, state: isError ? 'failed' : 'done' });
    }
    default:
      return done('other', { name: name === '' ? null : name });
  }
}

function executed(content: Json): ProviderToolUse {
  const code = content['return_code'];
  const failed = typeof code === 'number' && code !== 0;
  const lines: unknown = content['lines'];
  const shown = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string').join('\n') : null;
  return toolUse({
    kind: 'code_execution',
    output: joined(textAt(content, 'stdout'), textAt(content, 'stderr'), textAt(content, 'content'), shown),
    files: objectsAt(content, 'content').flatMap((file) => lineAt(file, 'filename') ?? lineAt(file, 'file_id') ?? []),
    error: failed ? `exit ${code}` : null,
    state: failed ? 'failed' : 'done',
  });
}

const done = (kind: ProviderToolKind, facts: Partial<ProviderToolUse>): ProviderToolUse =>
  toolUse({ kind, state: 'done', ...facts });

/** Answers a call of the provider's own, by the id in `tool_use_id`. */
export const isClaudeResult = (block: Json): boolean =>
  typeof block['type'] === 'string' &&
  block['type'].endsWith('_tool_result') &&
  typeof block['tool_use_id'] === 'string' &&
  (Array.isArray(block['content']) || isPlainObject(block['content']) || typeof block['content'] === 'string');
