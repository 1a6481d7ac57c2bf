import type { ContextRule } from '../../assembly.ts';

/**
 * System messages on the path join the system prompt: most providers accept only one, at the beginning. They are sent,
 * so the report does not call them dropped.
 */
export const liftSystemMessages: ContextRule = {
  name: 'lift-system-messages',
  apply: (assembly) => {
    const lifted = assembly.drafts.filter(({ node }) => node.role === 'system').map(({ node }) => node.content);
    if (lifted.length === 0) return assembly;
    const parts = [assembly.systemPrompt, ...lifted].filter((part) => part !== null && part.trim() !== '');
    return {
      ...assembly,
      drafts: assembly.drafts.filter(({ node }) => node.role !== 'system'),
      systemPrompt: parts.length === 0 ? null : parts.join('\n\n'),
    };
  },
};
