import type { ContentBlock } from '@bough/core';
import type { Deployment } from '../deployment.ts';

/** Whether the provider summarises conversations itself, on demand, and signs what it made. */
export function makesSummaries({ protocol, quirks }: Deployment): boolean {
  return protocol === 'anthropic-messages' && quirks['summaries'] === true;
}

/** What a summary that the provider made says, for people and for other models; null where there is none. */
export function summaryTextIn(blocks: readonly ContentBlock[]): string | null {
  for (const block of blocks) {
    const content: unknown = block.type === 'compaction' && 'content' in block ? block.content : null;
    if (typeof content === 'string' && content.trim() !== '') return content;
  }
  return null;
}
