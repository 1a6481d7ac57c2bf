import type { MessageGroupView } from '@bough/api';
import { instructionsIn } from '@bough/transfer';
import type { Terminal } from '../terminal/index.ts';
import { colours } from '../terminal/index.ts';
import type { ThinkingView } from './turn.ts';

/** Stored turns as people read them. */
export function conversationText(
  groups: readonly MessageGroupView[],
  view: ThinkingView,
  terminal: Pick<Terminal, 'isInteractive' | 'env'>,
): string {
  const { bold, dim, red } = colours(terminal);
  const lines: string[] = [];
  for (const group of groups) {
    if (group.user !== null) lines.push(bold('You'), group.user.content, '');
    const model = group.reply.find(({ modelUsed }) => modelUsed !== null)?.modelUsed;
    const { before, after } = instructionsIn(group);
    for (const text of before) lines.push(bold('System'), text, '');
    if (group.segments.length > 0) lines.push(bold(model ?? 'Assistant'));
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
          lines.push(item.isError ? red(item.text) : item.text);
          break;
      }
    }
    if (group.status === 'interrupted') lines.push(dim('(interrupted)'));
    if (group.segments.length > 0) lines.push('');
    for (const text of after) lines.push(bold('System'), text, '');
  }
  return lines.join('\n');
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
