import { REPLAY_BY } from '@bough/core';
import { z } from '@hono/zod-openapi';
import {
  Color,
  EnvelopeRequest,
  Id,
  InstructionsFrom,
  LIMITS,
  MaxTokens,
  Name,
  Ref,
  ThinkingSetting,
} from './common.ts';

export const ProjectView = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    systemPrompt: z.string().nullable(),
    archived: z.boolean(),
    createdAt: z.string(),
  })
  .openapi('Project');

export const ProjectQuery = z.object({
  /** All of them if absent. */
  limit: z.coerce.number().int().min(1).max(LIMITS.pageProjects).optional(),
  /** How many newer ones to skip. */
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** A part of the name, ignoring case. */
  search: z.string().max(LIMITS.nameCharacters).optional(),
  archived: z.enum(['true', 'false']).optional(),
});

export const ProjectList = z
  .object({
    projects: z.array(ProjectView),
    /** The number on all pages. */
    total: z.number().int(),
  })
  .openapi('ProjectList');

/**
 * `issuer`: each reply goes back as it was made where the branch's model takes it, otherwise as text. `break`:
 * everything up to the newest reply of another model is text.
 */
const ReplayBy = z.enum(REPLAY_BY);

export const BranchView = z
  .object({
    id: Id,
    name: z.string(),
    tipId: Id.nullable(),
    forkedFromId: Id.nullable(),
    provider: z.string(),
    model: z.string(),
    systemPrompt: z.string().nullable(),
    tools: z.array(z.string()),
    thinking: ThinkingSetting,
    replayBy: ReplayBy,
    keepToolsAfterBreak: z.boolean(),
    /** Null: as many as the model allows. */
    maxTokens: z.number().int().nullable(),
    failEarly: z.boolean(),
    /** Tools that run without asking on this branch; absent: none. */
    allowedTools: z.array(z.string()).optional(),
    pinned: z.boolean(),
    hidden: z.boolean(),
    color: z.string().nullable(),
    createdAt: z.string(),
    /** The turn that is running on it or waiting for approval. */
    runningTurnId: Id.nullable(),
  })
  .openapi('Branch');

const source = z.enum(['family', 'assumed']);

/** What is not known about the model of a new branch: told once, when the branch is made. */
export const ModelNoticeView = z
  .object({
    /** `model_assumed`: facts had to be assumed. `list_unread`: whether the model exists could not be asked. */
    code: z.enum(['model_assumed', 'list_unread']),
    provider: z.string(),
    model: z.string(),
    assumed: z.array(
      z.discriminatedUnion('fact', [
        z.object({ fact: z.enum(['contextWindow', 'maxOutputTokens']), value: z.number(), source }),
        z.object({ fact: z.literal('thinking'), value: z.enum(['never', 'on_request', 'always']), source }),
        z.object({ fact: z.literal('bindsThinkingToPrefix'), value: z.boolean(), source }),
      ]),
    ),
    /** Why the vendor's list could not be read. */
    problem: z.string().nullable(),
    message: z.string(),
  })
  .openapi('ModelNotice');

export const CreateProject = z
  .object({ name: Name.optional(), description: z.string().max(10_000).optional(), ...EnvelopeRequest })
  .strict()
  .openapi('CreateProject');

export const UpdateProject = z
  .object({
    name: Name.optional(),
    description: z.string().max(10_000).nullable().optional(),
    systemPrompt: z.string().max(LIMITS.systemPromptCharacters).nullable().optional(),
    archived: z.boolean().optional(),
  })
  .strict()
  .openapi('UpdateProject');

export const CreateBranch = z
  .object({
    name: Name.optional(),
    /** The branch to fork from, by name or id; its tip is the fork point unless `fromNodeId` names another node. */
    fromRef: Ref.optional(),
    fromNodeId: Id.optional(),
    instructionsFrom: InstructionsFrom,
    ...EnvelopeRequest,
  })
  .strict()
  .openapi('CreateBranch');

export const UpdateBranch = z
  .object({
    name: Name.optional(),
    pinned: z.boolean().optional(),
    hidden: z.boolean().optional(),
    color: Color.nullable().optional(),
    thinking: ThinkingSetting.optional(),
    tools: EnvelopeRequest.tools,
    /**
     * Other instructions, from here on: a message of their own at the end of the branch. Before the first message they
     * are the system prompt. To change them from the beginning, create a branch.
     */
    systemPrompt: EnvelopeRequest.systemPrompt,
    /** Another lock: refused with `branch_locked` once the branch's own model has replied on its path. */
    provider: EnvelopeRequest.provider,
    model: EnvelopeRequest.model,
    replayBy: ReplayBy.optional(),
    keepToolsAfterBreak: z.boolean().optional(),
    /** Null: as many as the model allows. */
    maxTokens: MaxTokens.nullable().optional(),
    failEarly: z.boolean().optional(),
    /** Tools that run without asking on this branch, although they would ask; an empty list withdraws all of them. */
    allowedTools: EnvelopeRequest.tools,
    /** Moves the tip to another node (the sibling switcher); refused while a turn runs. */
    tipId: Id.optional(),
  })
  .strict()
  .openapi('UpdateBranch');
