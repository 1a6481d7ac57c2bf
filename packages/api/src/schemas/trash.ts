import { z } from '@hono/zod-openapi';
import { Id } from './common.ts';

export const DeletionView = z
  .object({
    /** How many messages would be removed. */
    messages: z.number(),
    /** The branches that would lose some of them, with how many. */
    branches: z.array(z.object({ id: Id, name: z.string(), messages: z.number() })),
    /** How many messages would be handed to what comes before the removed ones. */
    handedUp: z.number(),
    /** Deleting a branch: messages that no other branch leads to. They stay, in the tree alone. */
    onNoOtherBranch: z.number(),
  })
  .openapi('Deletion');

export const TrashEntryView = z
  .object({
    id: Id,
    kind: z.enum(['node', 'turn', 'branch', 'project']),
    projectId: Id,
    projectName: z.string(),
    /** The beginning of the first removed message, or the name of the branch or project. */
    title: z.string(),
    deletedAt: z.string(),
    /** When it will be deleted for good. */
    purgedAt: z.string(),
    messages: z.number(),
    /** Branches whose tips were moved. */
    branches: z.array(z.object({ id: Id, name: z.string(), from: Id.nullable(), to: Id.nullable() })),
  })
  .openapi('TrashEntry');
