import { setTimeout as pause } from 'node:timers/promises';
import type { SearchView } from '@bough/api';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { PROJECT_OPTION, projectOf } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { colours, printJson } from '../terminal/index.ts';
import { dayOf } from '../view/day.ts';
import { shortId } from '../view/short-id.ts';

type Hit = SearchView['hits'][number];

const DEFAULT_LIMIT = 20;
const MOST = 100;
/** For how long the index is waited for while it is being made. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

export const search: Command = {
  name: 'search',
  summary: 'Find words in names, messages, reasoning, tool calls and files, in all projects or in one.',
  positionals: [{ name: 'query', rest: true }],
  options: {
    ...PROJECT_OPTION,
    limit: { description: `how many to show, up to ${MOST} (default ${DEFAULT_LIMIT})`, value: 'number', short: 'n' },
    cursor: { description: 'the next page: the cursor that --json gave', value: 'cursor' },
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough search sky',
    'bough search "rayleigh -ocean role:assistant"',
    'bough search "blue light is:starred has:file model:claude after:2026-01"',
    'bough search sky --project "Sky colours" --json',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const named = input.text('project');
      const cursor = input.text('cursor');
      const limit = limitOf(input.text('limit'));
      const project = named === undefined ? {} : { project: (await projectOf(client, named)).id };
      const ask = (): Promise<SearchView> =>
        client.search({ q: input.rest.join(' '), limit, ...project, ...(cursor !== undefined && { cursor }) });
      const page = await whenIndexed(ask, limit, terminal.signal);
      if (page.indexing) terminal.warn('Older messages are still being indexed: there may be more in a while.\n');
      if (input.flag('json')) printJson(terminal, page);
      else terminal.write(pageText(page, terminal));
      return 0;
    }),
};

/** Ctrl-C takes what there is. A program that runs for this command alone would end before its index is there. */
async function whenIndexed(ask: () => Promise<SearchView>, limit: number, signal: AbortSignal): Promise<SearchView> {
  const until = Date.now() + PATIENCE_MS;
  let page = await ask();
  while (page.indexing && page.hits.length < limit && Date.now() < until && !signal.aborted) {
    await pause(PAUSE_MS);
    page = await ask();
  }
  return page;
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit takes a number from 1 to ${MOST}, not "${text}".`);
}

/** By project, in the order in which the projects were found first. */
function pageText({ hits, cursor }: SearchView, terminal: Terminal): string {
  if (hits.length === 0) return cursor === null ? 'Nothing was found.\n' : 'Nothing was found so far.\n';
  const paint = colours(terminal);
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) groups.set(hit.projectId, [...(groups.get(hit.projectId) ?? []), hit]);
  const lines: string[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    lines.push(`${paint.bold(first.projectName)}${first.archived ? paint.dim(' (archived)') : ''}`);
    for (const hit of group) lines.push(...hitLines(hit, paint));
    lines.push('');
  }
  if (cursor !== null) lines.push(paint.dim('There is more: write more words, or take --limit or --json.'), '');
  return lines.join('\n');
}

function hitLines(hit: Hit, paint: ReturnType<typeof colours>): readonly string[] {
  const date = dayOf(hit.createdAt);
  const place = hit.branchName === null ? 'on no branch' : `on ${hit.branchName}`;
  const about =
    hit.kind === 'project'
      ? ['project', shortId(hit.projectId), date]
      : hit.kind === 'branch'
        ? ['branch', hit.branchName ?? '', date]
        : [hit.nodeId === null ? '' : shortId(hit.nodeId), hit.role ?? '', hit.model ?? '', place, date];
  const shown = hit.matches.map(({ where, file, snippet }) => {
    const label =
      where === 'reasoning' || where === 'tool' || where === 'note'
        ? `${where}: `
        : where === 'file'
          ? `${file ?? where}: `
          : '';
    return `    ${paint.dim(label)}${snippet.map(({ text, hit: isHit }) => (isHit ? paint.bold(text) : text)).join('')}`;
  });
  return [`  ${paint.dim(about.filter((part) => part !== '').join(' · '))}`, ...shown];
}
