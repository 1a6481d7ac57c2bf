import type { Json } from './read.ts';
import {
  distinct,
  joined,
  lineAt,
  linesAt,
  objectAt,
  objectsAt,
  pictureOf,
  sourceOf,
  stringAt,
  textAt,
  toolUse,
  unique,
  webAddress,
} from './read.ts';
import type { ProviderToolKind, ProviderToolUse } from './types.ts';

/** An item of the Responses API that the provider ran itself; null for every other. */
export function responsesItem(item: Json): ProviderToolUse | null {
  switch (item['type']) {
    case 'web_search_call':
      return webSearch(item);
    case 'file_search_call': {
      const results = objectsAt(item, 'results');
      return ended(item, 'file_search', {
        queries: linesAt(item, 'queries'),
        files: unique(results.flatMap((result) => lineAt(result, 'filename') ?? lineAt(result, 'file_id') ?? [])),
      });
    }
    case 'code_interpreter_call': {
      const outputs = objectsAt(item, 'outputs');
      return ended(item, 'code_execution', {
        code: textAt(item, 'code'),
        output: joined(...outputs.map((output) => textAt(output, 'logs'))),
      });
    }
    case 'image_generation_call': {
      const prompt = lineAt(item, 'revised_prompt');
      const format = stringAt(item, 'output_format') ?? 'png';
      return ended(item, 'image_generation', {
        queries: prompt === null ? [] : [prompt],
        pictures: pictureOf(`image/${format === 'jpg' ? 'jpeg' : format}`, item['result']),
      });
    }
    case 'mcp_call':
      return ended(item, 'remote_mcp', {
        name: named(item, lineAt(item, 'name')),
        code: textAt(item, 'arguments'),
        output: textAt(item, 'output'),
      });
    case 'mcp_list_tools':
      return ended(item, 'remote_mcp', {
        name: named(item, null),
        output: joined(...objectsAt(item, 'tools').map((tool) => lineAt(tool, 'name'))),
      });
    default:
      return null;
  }
}

function webSearch(item: Json): ProviderToolUse {
  const action = objectAt(item, 'action');
  const url = webAddress(action['url']);
  if (url !== null) return ended(item, 'web_fetch', { urls: [url] });
  const query = lineAt(action, 'query');
  const queries = linesAt(action, 'queries');
  return ended(item, 'web_search', {
    queries: queries.length > 0 ? unique(queries) : query === null ? [] : [query],
    sources: distinct(objectsAt(action, 'sources').map((source) => sourceOf(source['url'], source['title']))),
  });
}

function named(item: Json, tool: string | null): string | null {
  const parts = [lineAt(item, 'server_label'), tool].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' › ');
}

/** Finished, unless the item says otherwise: lists of tools have no status. */
function ended(item: Json, kind: ProviderToolKind, facts: Partial<ProviderToolUse>): ProviderToolUse {
  const status = stringAt(item, 'status') ?? 'completed';
  const told = objectAt(item, 'error');
  const error = lineAt(item, 'error') ?? lineAt(told, 'message') ?? lineAt(told, 'type');
  if (error !== null) return toolUse({ kind, ...facts, error, state: 'failed' });
  if (status === 'failed' || status === 'incomplete')
    return toolUse({ kind, ...facts, error: status, state: 'failed' });
  return toolUse({ kind, ...facts, state: status === 'completed' ? 'done' : 'running' });
}

/** Files that code made are named only where the text refers to them. */
export function filesMade(block: Json): readonly string[] {
  return objectsAt(block, 'annotations').flatMap((note) =>
    note['type'] === 'container_file_citation' ? (lineAt(note, 'filename') ?? []) : [],
  );
}

/** What servers with the Chat Completions API tell of a search: the addresses alone (`citations`), or with titles. */
export function chatSearch(block: Json): ProviderToolUse | null {
  const sources =
    block['type'] === 'search_results'
      ? distinct(objectsAt(block, 'search_results').map(({ url, title }) => sourceOf(url, title)))
      : distinct(linesAt(block, 'citations').map((url) => sourceOf(url, null)));
  return sources.length === 0 ? null : toolUse({ kind: 'web_search', sources, state: 'done' });
}
