import type { ProviderToolUse, Source } from '@bough/core';

const TITLES: Readonly<Record<ProviderToolUse['kind'], string>> = {
  web_search: 'Searched the web',
  web_fetch: 'Read the web',
  code_execution: 'Ran code',
  file_search: 'Searched files',
  image_generation: 'Drew a picture',
  remote_mcp: 'Used a remote server',
  other: 'Used a tool of the provider',
};

/** What a tool of the provider did, in one line. */
export function useTitle({ kind, name, queries, sources, urls, files, state }: ProviderToolUse): string {
  const facts = [
    ...(name === null ? [] : [name]),
    ...(kind === 'image_generation' ? [] : counted(queries.length, 'query', 'queries')),
    ...(kind === 'web_fetch' ? counted(Math.max(urls.length, sources.length), 'page', 'pages') : []),
    ...(kind === 'web_search' ? counted(sources.length, 'source', 'sources') : []),
    ...counted(files.length, 'file', 'files'),
    ...(state === 'failed' ? ['failed'] : state === 'running' ? ['no result'] : []),
  ];
  return facts.length === 0 ? TITLES[kind] : `${TITLES[kind]}: ${facts.join(', ')}`;
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

/** The pages that it found or read, each once. */
export function pagesOf({ sources, urls }: ProviderToolUse): readonly Source[] {
  const named = new Set(sources.map(({ url }) => url));
  return [...sources, ...urls.filter((url) => !named.has(url)).map((url) => ({ url, title: null }))];
}

export const sourceName = ({ url, title }: Source): string => title ?? url ?? '';
