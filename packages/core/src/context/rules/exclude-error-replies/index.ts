import type { ContextRule } from '../../assembly.ts';
import { drop, KEEP, mapDrafts } from '../../assembly.ts';

/** An error reply was written by Bough for the user. A model must never read it as something that it said itself. */
export const excludeErrorReplies: ContextRule = {
  name: 'exclude-error-replies',
  apply: (assembly) =>
    mapDrafts(assembly, ({ node }) => (node.role === 'assistant' && node.isError ? drop('error_reply') : KEEP)),
};
