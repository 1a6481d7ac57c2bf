import type { Branch, Envelope, EnvelopeRequest, NodeId, TreeNode } from '@bough/core';
import { createNode } from '@bough/core';
import { takesSystemInPlace } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';

/**
 * From where changed instructions count. `here`: they are appended, and everything before them stays what was sent.
 * `beginning`: they replace the system prompt, which changes the beginning of every request, and with it all that is
 * cached or bound to it.
 */
export const INSTRUCTIONS_FROM = ['here', 'beginning'] as const;
export type InstructionsFrom = (typeof INSTRUCTIONS_FROM)[number];

/** An envelope that is asked for, and from where its system prompt counts. */
export interface InstructedRequest extends EnvelopeRequest {
  /** Absent: from here on, if the model takes that. */
  readonly instructionsFrom?: InstructionsFrom | undefined;
}

/** What is asked for, without instructions that are to be appended, and their text. */
export interface PlannedInstructions {
  readonly requested: EnvelopeRequest;
  readonly appended: string | null;
}

/**
 * Decides how changed instructions reach the model of a branch that continues a path. `before` is the envelope that the
 * path was made with, `envelope` the one that is asked for.
 */
export function planInstructions(
  env: Environment,
  path: readonly TreeNode[],
  before: Envelope,
  envelope: Envelope,
  { instructionsFrom, ...requested }: InstructedRequest,
): PlannedInstructions {
  const { systemPrompt } = requested;
  const spoken = path.findIndex(({ role }) => role !== 'system');
  if (systemPrompt === undefined || spoken < 0) return { requested, appended: null };
  const last = path.findLast(({ role }, index) => role === 'system' && index > spoken);
  const { systemPrompt: _, ...rest } = requested;
  if (systemPrompt === (last?.content ?? before.systemPrompt)) return { requested: rest, appended: null };
  const { deployment, modelInfo } = env.providers.get(envelope.provider);
  const canAppend = takesSystemInPlace(deployment, modelInfo(envelope.model));
  const hasText = systemPrompt !== null && systemPrompt.trim() !== '';
  const from = instructionsFrom ?? (canAppend && hasText ? 'here' : 'beginning');
  if (from === 'beginning') return { requested, appended: null };
  if (!hasText) {
    throw new RequestError(
      'instructions_not_appendable',
      'No instructions cannot be appended. Write new ones, or let the change count from the beginning.',
    );
  }
  if (!canAppend) {
    throw new RequestError(
      'instructions_not_appendable',
      `${envelope.model} takes instructions only at the beginning of a conversation. Let the change count from the beginning, or choose another model.`,
    );
  }
  return { requested: rest, appended: systemPrompt };
}

export function instructionNode(
  env: Environment,
  { id: createdOnBranch, projectId }: Pick<Branch, 'id' | 'projectId'>,
  parentId: NodeId | null,
  text: string,
): TreeNode {
  return createNode({
    id: env.ids.node(),
    projectId,
    parentId,
    createdOnBranch,
    role: 'system',
    contentBlocks: [{ type: 'text', text }],
    createdAt: env.now().toISOString(),
  });
}
