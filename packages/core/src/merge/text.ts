import type { MergeBlock } from '../blocks/index.ts';
import { isAttachedBlock } from '../blocks/index.ts';
import type { TreeNode } from '../entities/index.ts';

type Heading = Pick<MergeBlock, 'branchName' | 'by'>;

const WHAT: Readonly<Record<MergeBlock['by'], string>> = {
  answer: 'The last answer',
  summary: 'A summary of what was said',
  messages: 'Messages',
};

/** What stands before what was brought. */
export const mergeHeading = ({ branchName, by }: Heading): string =>
  `${WHAT[by]} on another branch of this conversation, "${branchName}":\n\n`;

/** What a model is told of a merge. Written once, when it is made: nothing that is computed later could change it. */
export function mergeText(heading: Heading, nodes: readonly TreeNode[]): string {
  const told = heading.by === 'messages' ? nodes.map(named).join('\n\n') : nodes.map(said).join('\n\n');
  return mergeHeading(heading) + told;
}

/** What was brought, without the words that say from where. */
export function broughtText(heading: Heading, content: string): string {
  const before = mergeHeading(heading);
  return content.startsWith(before) ? content.slice(before.length) : content;
}

const named = (node: TreeNode): string => `[${node.role === 'user' ? 'User' : 'Assistant'}]\n${said(node)}`;

/** Files stay where they are: only their names are brought. */
function said({ content, contentBlocks }: TreeNode): string {
  const files = contentBlocks.filter(isAttachedBlock).map(({ name }) => name);
  return files.length === 0 ? content.trim() : `${content.trim()}\n(with ${files.join(', ')}, not brought along)`;
}

const QUOTED_CHARACTERS = 600;

/** How a summary is made, where nobody asks for anything else. */
export const MERGE_INSTRUCTION =
  'Keep names, numbers, identifiers and wording exact. Tell what was found out and decided, with the reasons, and which questions are open.';

/** What the source's model is asked for. It has the whole conversation before it; the target knows the beginning. */
export function mergeInstruction(after: Pick<TreeNode, 'content'> | null, instruction: string | undefined): string {
  const known = (after?.content ?? '').trim();
  const since =
    known === ''
      ? 'Summarise this conversation.'
      : `Summarise what was said in this conversation after the message that begins like this:\n\n${quoted(known)}\n\n` +
        'Whoever reads it knows everything up to there, and nothing of what follows.';
  const asked = instruction?.trim() ?? '';
  return `${since}\n\n${asked === '' ? MERGE_INSTRUCTION : asked}\n\nAnswer with the summary alone, and call no tools.`;
}

function quoted(text: string): string {
  return text
    .slice(0, QUOTED_CHARACTERS)
    .toWellFormed()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
