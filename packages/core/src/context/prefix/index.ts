import type { MadeWith, NodeId } from '../../entities/index.ts';
import type { ContentBlock } from '../../blocks/index.ts';
import { isReasoningBlock } from '../../blocks/index.ts';
import { stableStringify } from '../../equality/index.ts';
import { sha256 } from '../../hash/index.ts';
import { memoized, memoizedWith } from '../../memo/index.ts';
import type { AssemblyOptions, Assembly, Draft } from '../assembly.ts';

/**
 * Names everything that stands before a point of the request: system prompt, tools, and each earlier item with the way in which
 * it is sent. Thinking is not part of it, because providers compare the conversation without it. Stored nodes never change, so
 * their ids stand for their content, and the whole chain costs one short hash per item.
 */
export function prefixKeys(assembly: Assembly, options: AssemblyOptions): readonly string[] {
  let key = options.behind ?? sha256(stableStringify([assembly.systemPrompt, options.tools]));
  const keys = [key];
  for (const draft of assembly.drafts) {
    key = keyBehind(draft, key);
    keys.push(key);
  }
  return keys;
}

/** A draft that still stands behind the same things has the key that it had. */
const keyBehind = memoizedWith(
  (draft: Draft, before: string) => sha256(`${before}\n${manner(draft)}`),
  (before, now) => before === now,
);

function manner({ node, item, beforeBreak }: Draft): string {
  const call = item.synthetic && item.message.role === 'tool' ? item.message.tool_call_id : '';
  return [node.id, item.source, beforeBreak, item.partial, node.includeThinkingInContext, call].join(' ');
}

export function hasReasoning(draft: Draft): boolean {
  return draft.item.source === 'raw' && holdsReasoning(draft.node.contentBlocks);
}

const holdsReasoning = memoized((blocks: readonly ContentBlock[]): boolean => blocks.some(isReasoningBlock));

/** What the next reply will be made with: to be stored on its node. */
export function madeWithOf(assembly: Assembly, options: AssemblyOptions): MadeWith {
  const last = assembly.drafts.findLast((draft) => hasReasoning(draft) && draft.item.reasoning === 'verbatim');
  const previousThinking: NodeId | null = last?.node.id ?? null;
  return { prefix: prefixKeys(assembly, options).at(-1) ?? '', previousThinking };
}
