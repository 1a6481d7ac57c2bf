import { RECORDED_BECAUSE, RECORDED_KINDS, REPLAY_BY } from '@bough/core';
import { z } from '@hono/zod-openapi';
import {
  Choice,
  ChoiceChanges,
  Color,
  Compacting,
  EnvelopeRequest,
  FilesOtherwise,
  Id,
  InstructionsFrom,
  LIMITS,
  MaxTokens,
  Name,
  ProviderTool,
  Ref,
  ThinkingSetting,
} from './common.ts';
import { GatewayMode } from './gateway.ts';

export const ProjectView = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    systemPrompt: z.string().nullable(),
    archived: z.boolean(),
    pinned: z.boolean(),
    /** Null: in none. */
    folder: z.string().nullable(),
    createdAt: z.string(),
  })
  .openapi('Project');

/** A project with what its new branches begin with. What is absent comes from the defaults of all projects. */
export const ProjectDetails = ProjectView.extend({
  defaults: z.object({
    provider: z.string().optional(),
    model: z.string().optional(),
    tools: z.array(z.string()).optional(),
    thinking: ThinkingSetting.optional(),
    maxTokens: z.number().int().optional(),
    failEarly: z.boolean().optional(),
  }),
  /** How requests of other clients are treated here: what was chosen for this project, and what holds. */
  gateway: z.object({ chosen: GatewayMode.nullable(), mode: GatewayMode }),
}).openapi('ProjectDetails');

export const ListedProjectView = ProjectView.extend({
  /** When one of its branches was last used. */
  lastUsedAt: z.string(),
  /** Whether other clients talk into it through the gateway. */
  recorded: z.boolean(),
}).openapi('ListedProject');

export const ProjectQuery = z.object({
  /** A hundred if absent. */
  limit: z.coerce.number().int().min(1).max(LIMITS.pageProjects).optional(),
  /** How many of those used later to skip. */
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** A part of the name, ignoring case. */
  search: z.string().max(LIMITS.nameCharacters).optional(),
  /** The beginning of the id. */
  id: z.string().max(LIMITS.nameCharacters).optional(),
  archived: z.enum(['true', 'false']).optional(),
  pinned: z.enum(['true', 'false']).optional(),
  /** Only projects in this folder; empty: only those in none. */
  folder: z.string().max(LIMITS.nameCharacters).optional(),
});

export const ProjectList = z
  .object({
    projects: z.array(ListedProjectView),
    /** The number on all pages. */
    total: z.number().int(),
    /** Every folder, whatever else is asked for, and how many projects in it are not pinned. */
    folders: z.array(z.object({ name: z.string(), unpinned: z.number().int() })),
  })
  .openapi('ProjectList');

/**
 * `issuer`: each reply goes back as it was made where the branch's model takes it, otherwise as text. `break`:
 * everything up to the newest reply of another model is text.
 */
const ReplayBy = z.enum(REPLAY_BY);

export const RecordedView = z
  .object({
    /** The client's name, with its version if it says one. */
    client: z.string(),
    /** The session that the client declared. */
    session: z.string().nullable(),
    /** `aside`: what the client asked beside its conversation. */
    kind: z.enum(RECORDED_KINDS),
    /** For an aside: the newest message of the conversation when it began. It may have been deleted since. */
    beside: Id.nullable(),
    /** What the client did to its history, so that it went on elsewhere than at the end. */
    because: z.enum(RECORDED_BECAUSE).nullable(),
  })
  .openapi('Recorded');

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
    /** What becomes of files that the model does not take. */
    filesOtherwise: FilesOtherwise,
    /** What the provider runs itself for the model. */
    providerTools: z.array(ProviderTool),
    /** Tools that run without asking on this branch; absent: none. */
    allowedTools: z.array(z.string()).optional(),
    /** Messages that are left out of requests or pinned into them on this branch; absent: none. */
    choices: z.record(Id, Choice).optional(),
    /** Summaries that stand for earlier messages in its requests, oldest first; absent: none. */
    summaries: z.array(Id).optional(),
    /** What happens as the window fills up; absent: from four fifths on, a summary is suggested. */
    compacting: Compacting.optional(),
    pinned: z.boolean(),
    hidden: z.boolean(),
    color: z.string().nullable(),
    /** Where the gateway recorded it from; absent for any other branch. */
    recorded: RecordedView.optional(),
    createdAt: z.string(),
    /** When its newest message was made, or the branch itself if that came later. */
    lastUsedAt: z.string(),
    /** The branch that the message it was forked from was made on; it may have been deleted since. */
    forkedOn: Id.nullable(),
    /** The turn that is running on it or waiting for approval. */
    runningTurnId: Id.nullable(),
  })
  .openapi('Branch');

const source = z.enum(['family', 'assumed']);

/** What is not known about the model of a new branch: told once, when the branch is made. */
export const ModelNoticeView = z
  .object({
    /**
     * `model_assumed`: facts had to be assumed. `list_unread`: whether the model exists could not be asked.
     * `provider_tool_left_out`: a tool of the provider that was switched on is not offered by this model.
     */
    code: z.enum(['model_assumed', 'list_unread', 'provider_tool_left_out']),
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

/**
 * A preset to begin with, by id or name; what is asked for besides it counts more. Null: none. For a project, absent
 * means the default one.
 */
const preset = Id.nullable().optional();

export const CreateProject = z
  .object({ name: Name.optional(), description: z.string().max(10_000).optional(), preset, ...EnvelopeRequest })
  .strict()
  .openapi('CreateProject');

export const UpdateProject = z
  .object({
    name: Name.optional(),
    description: z.string().max(10_000).nullable().optional(),
    systemPrompt: z.string().max(LIMITS.systemPromptCharacters).nullable().optional(),
    archived: z.boolean().optional(),
    /** What a branch that begins with nothing is made with; its system prompt is the project's. */
    defaults: z
      .object({
        provider: EnvelopeRequest.provider,
        model: EnvelopeRequest.model,
        tools: EnvelopeRequest.tools,
        thinking: EnvelopeRequest.thinking,
        /** Null: as many as the model allows. */
        maxTokens: MaxTokens.nullable().optional(),
        failEarly: z.boolean().optional(),
      })
      .strict()
      .optional(),
    pinned: z.boolean().optional(),
    /** Null takes it out of its folder. */
    folder: Name.nullable().optional(),
    /** How requests of other clients are treated here; null: as everywhere on this server. */
    gatewayMode: GatewayMode.nullable().optional(),
  })
  .strict()
  .openapi('UpdateProject');

export const CreateBranch = z
  .object({
    name: Name.optional(),
    /** The branch to fork from, by name or id; its tip is the fork point unless `fromNodeId` names another node. */
    fromRef: Ref.optional(),
    fromNodeId: Id.optional(),
    /** Begins with nothing, and with the project’s defaults, instead of continuing a branch. */
    empty: z.literal(true).optional(),
    preset,
    instructionsFrom: InstructionsFrom,
    ...EnvelopeRequest,
  })
  .strict()
  .refine(({ empty, fromRef, fromNodeId }) => empty === undefined || (fromRef ?? fromNodeId) === undefined, {
    message: 'an empty branch begins with nothing: leave out fromRef and fromNodeId',
    path: ['empty'],
  })
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
    filesOtherwise: FilesOtherwise.optional(),
    /** What the provider runs itself for the model; an empty list switches all of it off. */
    providerTools: EnvelopeRequest.providerTools,
    /** Tools that run without asking on this branch, although they would ask; an empty list withdraws all of them. */
    allowedTools: EnvelopeRequest.tools,
    /** Leaves messages out of requests, or pins them into them; null takes that back. Others stay as they are. */
    choices: ChoiceChanges.optional(),
    /** The summaries that still count: one that is not named is taken back. None can be added here. */
    summaries: z.array(Id).max(LIMITS.summaries).optional(),
    compacting: Compacting.optional(),
    /** Moves the tip to another node (the sibling switcher); refused while a turn runs. */
    tipId: Id.optional(),
  })
  .strict()
  .openapi('UpdateBranch');
