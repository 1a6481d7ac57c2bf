import type { NodeView } from '@bough/api/client';

/** The text of a whole reply, for copying and quoting. */
export function replyTextOf(nodes: readonly NodeView[]): string {
  return nodes
    .filter((node) => node.role === 'assistant' && !node.isError)
    .map((node) => node.content)
    .filter((text) => text !== '')
    .join('\n\n');
}

export function quoted(text: string): string {
  return `${text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')}\n\n`;
}
