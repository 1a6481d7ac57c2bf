import type { ProviderToolUse } from '@bough/core';
import type { MessageKey, Translator } from '../i18n/index.ts';

/** What a provider's tool did, in one line: "Searched the web: 3 queries, 8 sources". */
export function useLine(use: ProviderToolUse, t: Translator, isLive: boolean): string {
  const facts = factsOf(use, t);
  const key: MessageKey = isLive && use.state === 'running' ? `provider.${use.kind}.running` : `provider.${use.kind}`;
  const title = t(key, { name: use.name ?? '' });
  return facts.length === 0 ? title : t('provider.line', { title, facts: facts.join(t('provider.separator')) });
}

function factsOf({ kind, queries, urls, sources, files, name }: ProviderToolUse, t: Translator): readonly string[] {
  const facts: string[] = [];
  if (name !== null && kind === 'remote_mcp') facts.push(name);
  if (kind === 'web_search' || kind === 'file_search') facts.push(...counted('queries', queries.length, t));
  if (kind === 'web_search') facts.push(...counted('sources', sources.length, t));
  if (kind === 'web_fetch') facts.push(...counted('pages', Math.max(urls.length, sources.length), t));
  if (kind === 'file_search' || kind === 'code_execution') facts.push(...counted('files', files.length, t));
  return facts;
}

function counted(what: 'queries' | 'sources' | 'pages' | 'files', count: number, t: Translator): readonly string[] {
  if (count === 0) return [];
  return [t(count === 1 ? `provider.${what}.one` : `provider.${what}`, { count })];
}
