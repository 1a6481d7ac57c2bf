import type { MessageGroupView, NodeView } from '@bough/api';
import { citedPieces, instructionsIn, pagesOf, sourceName, sourcesIn, useTitle } from '@bough/transfer';
import type { ProviderToolUse, Source } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import { fileLabel, filesOf } from '../attach/index.ts';
import type { Terminal } from '../terminal/index.ts';
import { colours } from '../terminal/index.ts';
import type { ThinkingView } from './turn.ts';
import { versionsIn } from './versions.ts';

/** Stored turns as people read them. */
export function conversationText(
  groups: readonly MessageGroupView[],
  view: ThinkingView,
  terminal: Pick<Terminal, 'isInteractive' | 'env'>,
): string {
  const { bold, dim, red } = colours(terminal);
  const lines: string[] = [];
  for (const group of groups) {
    if (group.user !== null) lines.push(bold('You'), ...userLines(group.user), '');
    const model = group.reply.find(({ modelUsed }) => modelUsed !== null)?.modelUsed;
    const { before, after } = instructionsIn(group);
    for (const text of before) lines.push(bold('System'), text, '');
    if (group.segments.length > 0) lines.push(bold(model ?? 'Assistant'));
    const sources = sourcesIn(group);
    for (const item of group.segments.flatMap((segment) => segment.items)) {
      switch (item.type) {
        case 'think':
          lines.push(...thoughtLines(item, view).map(dim));
          break;
        case 'tool':
          lines.push(dim(`→ ${item.name} ${JSON.stringify(item.parameters)}`));
          if (item.result !== null) lines.push((item.result.isError ? red : dim)(`← ${item.result.content}`));
          break;
        case 'text':
          lines.push(item.isError ? red(item.text) : citedText(item, sources));
          break;
        case 'provider':
          lines.push(...useLines(item.use).map(item.use.state === 'failed' ? red : dim));
          break;
        case 'file':
          if (isAttachedBlock(item.file)) lines.push(dim(fileLabel(item.file)));
          break;
      }
    }
    lines.push(...sources.map((source, index) => dim(`[${index + 1}] ${named(source)}`)));
    if (group.status === 'interrupted') lines.push(dim('(interrupted)'));
    if (group.segments.length > 0) lines.push('');
    for (const text of after) lines.push(bold('System'), text, '');
  }
  return lines.join('\n');
}

function citedText(item: Parameters<typeof citedPieces>[0], sources: readonly Source[]): string {
  return citedPieces(item, sources)
    .map(({ text, numbers }) => `${text}${numbers.map((number) => `[${number}]`).join('')}`)
    .join('');
}

/** What the provider did itself: one line, then what it asked, read and ran. */
function useLines(use: ProviderToolUse): readonly string[] {
  const { queries, code, output, files, error } = use;
  return [
    `→ ${useTitle(use)}`,
    ...queries.map((query) => `  ? ${query}`),
    ...pagesOf(use).map((page) => `  - ${named(page)}`),
    ...(code === null ? [] : [code]),
    ...(output === null ? [] : [`← ${output}`]),
    ...files.map((name) => `  + ${name}`),
    ...(error === null ? [] : [`← ${error}`]),
  ];
}

const named = (source: Source): string =>
  source.url === null || source.title === null ? sourceName(source) : `${source.title} <${source.url}>`;

function userLines(user: NodeView): readonly string[] {
  const files = [...versionsIn(user.contentBlocks), ...filesOf(user).map(fileLabel)];
  return user.content === '' && files.length > 0 ? files : [...files, user.content];
}

function thoughtLines(
  item: { readonly text: string; readonly redacted: boolean },
  view: ThinkingView,
): readonly string[] {
  if (view === 'none') return [];
  if (item.redacted) return ['(thought: encrypted by the provider)'];
  if (item.text === '') return ['(thought: hidden by the provider)'];
  return view === 'full' ? [item.text] : [`(thought: ${item.text.length} characters)`];
}
