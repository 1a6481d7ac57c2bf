import type { ContentBlock } from '../blocks/index.ts';
import { isPlainObject } from '../blocks/plain-object.ts';
import type { FilesOtherwise } from '../context/files/index.ts';
import type { Role } from '../messages/index.ts';
import type { Issuer } from '../raw/index.ts';
import type { CallUsage } from '../stream/usage.ts';
import type { Exchange, Recorded } from './exchange.ts';
import type { BranchId, CallId, NodeId, ProjectId, TurnId } from './ids.ts';
import type { ProviderTool } from './provider-tool.ts';

export * from './exchange.ts';
export * from './ids.ts';
export * from './provider-tool.ts';

/** How hard a model is asked to think. A number is an explicit budget in tokens. */
export type ThinkingSetting = 'off' | 'low' | 'medium' | 'high' | { readonly budgetTokens: number };

/** A tool as the model sees it. `inputSchema` is a JSON schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a branch is locked to. */
export interface Envelope {
  readonly provider: string;
  readonly model: string;
  readonly systemPrompt: string | null;
  /** Names of the tools that the model may use, in the order in which they are sent. */
  readonly tools: readonly string[];
  readonly thinking: ThinkingSetting;
  /** The most tokens that a reply may have; absent: as many as the model allows. */
  readonly maxTokens?: number;
  /** Refuse a request whose `maxTokens` does not fit, instead of asking for what fits. */
  readonly failEarly?: boolean;
  /** What becomes of files that the model does not take: their text, or nothing. Absent: their text. */
  readonly filesOtherwise?: FilesOtherwise;
  /** What the provider runs itself for the model, in the order in which it is sent. Absent: nothing. */
  readonly providerTools?: readonly ProviderTool[];
  /** Tools that a person allowed to run without being asked on this branch. A fork asks again. */
  readonly allowedTools?: readonly string[];
  /** What a person decided about single messages on this branch. Absent: nothing. A fork begins with the same. */
  readonly choices?: Choices;
  /**
   * The replies that are summaries, oldest first: each stands for everything before the message that asked for it. Of
   * those whose place is on the path, the one that stands for most counts. A fork begins with the same.
   */
  readonly summaries?: readonly NodeId[];
  /** What happens as the window fills up. Absent: `DEFAULT_COMPACTING`. */
  readonly compacting?: Compacting;
}

export const COMPACTING_MODES = ['off', 'ask', 'on'] as const;
/**
 * `off`: the oldest turns are trimmed, as they would be without summaries. `ask`: so they are, and it is told that a
 * summary would help. `on`: a summary is made before the next message is answered.
 */
export interface Compacting {
  readonly mode: (typeof COMPACTING_MODES)[number];
  /** The share of the window from which on that happens: above 0, at most 1. */
  readonly share: number;
}

/** Whether a stored value names summaries. */
export function isSummaries(value: unknown): value is readonly NodeId[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string');
}

/** Whether a stored value says what happens as the window fills up. */
export function isCompacting(value: unknown): value is Compacting {
  if (!isPlainObject(value)) return false;
  const { mode, share } = value;
  const known: readonly unknown[] = COMPACTING_MODES;
  return known.includes(mode) && typeof share === 'number' && share > 0 && share <= 1;
}

export const CHOICES = ['leave_out', 'pin'] as const;
/** `leave_out`: the model does not get the message. `pin`: it always gets it, however long the conversation is. */
export type Choice = (typeof CHOICES)[number];
/** By the id of a node. */
export type Choices = Readonly<Record<string, Choice>>;

/** Whether a stored value says what was chosen. */
export function isChoices(value: unknown): value is Choices {
  const known: readonly unknown[] = CHOICES;
  return isPlainObject(value) && Object.values(value).every((choice) => known.includes(choice));
}

/** A workspace: a tree of nodes plus its branches. */
export interface Project {
  readonly id: ProjectId;
  readonly name: string;
  readonly description: string | null;
  readonly systemPrompt: string | null;
  /** What a new branch without a source starts from. */
  readonly defaults: Partial<Envelope>;
  readonly archived: boolean;
  /** Kept above the others in lists; absent: not. */
  readonly pinned?: true;
  /** The name of the folder that it is shown in; absent: none. A folder is nothing but this name. */
  readonly folder?: string;
  readonly createdAt: string;
}

/** A named, movable pointer to a tip node, locked to an envelope. */
export interface Branch {
  readonly id: BranchId;
  readonly projectId: ProjectId;
  /** Unique in the project. */
  readonly name: string;
  /** Null while the branch is empty. */
  readonly tipId: NodeId | null;
  readonly forkedFromId: NodeId | null;
  readonly envelope: Envelope;
  /**
   * What decides how earlier replies are sent. `issuer`: who made each of them. `break`: the model break; it and
   * everything before it are text.
   */
  readonly replayBy: ReplayBy;
  /** Also keep the tool calls of other models structured instead of turning them into text. */
  readonly keepToolsAfterBreak: boolean;
  readonly pinned: boolean;
  readonly hidden: boolean;
  readonly color: string | null;
  /** Absent for a branch that was not recorded by the gateway. */
  readonly recorded?: Recorded;
  readonly createdAt: string;
}

export const REPLAY_BY = ['issuer', 'break'] as const;
export type ReplayBy = (typeof REPLAY_BY)[number];

export type TurnStatus = 'running' | 'awaiting_approval' | 'complete' | 'error' | 'interrupted';

/** One user message and the whole reply to it. */
export interface Turn {
  readonly id: TurnId;
  readonly projectId: ProjectId;
  readonly branchId: BranchId | null;
  /** Stored when the turn starts, never inferred later. */
  readonly isThinkingMode: boolean;
  readonly status: TurnStatus;
  readonly createdAt: string;
}

/** How much of a reply's reasoning a person can see. */
export type Availability = 'none' | 'summary' | 'full' | 'redacted' | 'partial';

export interface NodeThinking {
  readonly availability: Availability;
  /** The canonical text was cut at the cap; raw was not. */
  readonly truncated: boolean;
}

/**
 * What a reply was made with: a model that binds its thinking to the prefix accepts it back only after the same prefix.
 * `prefix` covers the system prompt, the tools and every earlier item as it was sent; `previousThinking` is the node
 * whose thinking preceded this one in that request.
 */
export interface MadeWith {
  readonly prefix: string;
  readonly previousThinking: NodeId | null;
}

/** One message in the tree. Never changed once stored, except for `includeThinkingInContext`. */
export interface TreeNode {
  readonly id: NodeId;
  readonly projectId: ProjectId;
  readonly parentId: NodeId | null;
  readonly turnId: TurnId | null;
  readonly createdOnBranch: BranchId | null;
  readonly role: Role;
  readonly contentBlocks: readonly ContentBlock[];
  /** The text derived from the blocks, for search and lists. */
  readonly content: string;
  readonly provider: string | null;
  readonly modelUsed: string | null;
  readonly toolCallId: string | null;
  /** How long the tool ran, without the time that its call waited for a person. Absent for anything but a result. */
  readonly toolMs?: number;
  /**
   * Names everything that a client of the gateway had said up to here, so that its next request finds its place.
   * Absent for a message that came another way.
   */
  readonly trail?: string;
  readonly thinking: NodeThinking | null;
  readonly madeWith: MadeWith | null;
  readonly isError: boolean;
  readonly interrupted: boolean;
  readonly includeThinkingInContext: boolean;
  readonly matchKey: string;
  readonly createdAt: string;
}

/** What a call was made for, if not for a reply: a title or a summary is written beside the conversation. */
export const CALL_PURPOSES = ['title', 'summary'] as const;
export type CallPurpose = (typeof CALL_PURPOSES)[number];

export type CallStatus = 'running' | 'complete' | 'error' | 'interrupted';

/**
 * One HTTP request to a provider and its response. The raw response is stored separately, so that reading history does
 * not read it.
 */
export interface Call extends Issuer {
  readonly id: CallId;
  readonly projectId: ProjectId;
  readonly turnId: TurnId;
  /** The assistant node that the reply became, if any. */
  readonly nodeId: NodeId | null;
  readonly status: CallStatus;
  readonly requestHash: string;
  readonly providerRequestId: string | null;
  /** The provider's own id for the response (with OpenAI Responses, the next request may continue from it). */
  readonly responseId: string | null;
  readonly startedAt: string;
  readonly firstByteAt: string | null;
  readonly endedAt: string | null;
  readonly usage: CallUsage | null;
  /** In US dollars; null if the price is unknown, which is not the same as zero. */
  readonly cost: number | null;
  /** What went wrong; for a complete call, why it ended before the model was done: the stop reason. */
  readonly errorCode: string | null;
  /** Absent for a reply. */
  readonly purpose?: CallPurpose;
  /** What a client of the gateway sent; absent for a call that the engine made itself. */
  readonly exchange?: Exchange;
}

/** The exact wire JSON that a node became in a request, kept so that it can be sent again byte for byte. */
export interface Rendering {
  readonly nodeId: NodeId;
  /** Protocol, deployment, and how the node was sent. */
  readonly key: string;
  readonly bytes: string;
}

/**
 * What a closed turn became in the requests to one model, so that the next request need not read the turn again. A
 * cache: if it is missing or its key differs, it is made again from the nodes, and the request has the same bytes.
 */
export interface CachedTurn {
  /** The last node of the turn. */
  readonly nodeId: NodeId;
  /** The model that it was made for: a node has one cached turn per model. */
  readonly slot: string;
  /** Everything that it depends on besides its own nodes. */
  readonly key: string;
  /** What the rest of a request needs to know about it, as text. The store does not interpret it. */
  readonly facts: string;
  /** Its messages as they appear in a body, each followed by a comma. */
  readonly bytes: Uint8Array;
}

/**
 * Names the nodes of a path with everything about them that can change, one line per node. Paths with the same marks
 * are the same path: nothing else about a stored node changes. The match key reveals a file that was edited by hand.
 */
export function marksOf(path: readonly Pick<TreeNode, 'id' | 'includeThinkingInContext' | 'matchKey'>[]): string {
  let marks = '';
  for (const { id, includeThinkingInContext, matchKey } of path)
    marks += `${includeThinkingInContext ? '+' : '-'}${matchKey.slice(0, MARKED)}${JSON.stringify(id)}\n`;
  return marks;
}

/** How many characters of a match key go into a mark. */
export const MARKED = 8;
