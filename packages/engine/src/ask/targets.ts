import type { Branch, ContentBlock, EnvelopeRequest, NodeId, ProjectId, ThinkingSetting } from '@bough/core';
import { deriveTextFromBlocks, resolveBranchConfig } from '@bough/core';
import { toMessageBlocks } from '../admit/content.ts';
import { RequestError } from '../admit/errors.ts';
import { userAbove } from '../admit/requests.ts';
import type { Fork } from '../branches/index.ts';
import { sourceOf, withPreset } from '../branches/index.ts';
import type { Environment } from '../environment.ts';
import { chosenPreset } from '../library/presets.ts';

/** Who is asked: what is not named is as on the branch that the question comes from. */
export interface AskTarget {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingSetting | undefined;
  /** By id or name. What is named besides it counts more. */
  readonly preset?: string | undefined;
  /** How many answers; one if absent. */
  readonly n?: number | undefined;
}

export interface AskRequest {
  /** The branch whose end is asked from, and whose envelope the answers inherit. */
  readonly ref?: string | undefined;
  /** Asks from this message instead of from the end of the branch. */
  readonly fromNodeId?: NodeId | undefined;
  /** Absent: the message that is there already is answered, or the one that a reply there answers. */
  readonly message?: string | readonly ContentBlock[] | undefined;
  readonly targets: readonly AskTarget[];
  readonly clientRequestId?: string | undefined;
  readonly overBudget?: boolean | undefined;
}

/** Where a question stands. */
export interface AskPlace {
  readonly source: Branch | null;
  /** What comes before the question. */
  readonly parentId: NodeId | null;
  /** The question, if it is stored already. */
  readonly asked: NodeId | null;
  readonly content: readonly ContentBlock[];
}

export async function placeOf(env: Environment, projectId: ProjectId, request: AskRequest): Promise<AskPlace> {
  const { ref, fromNodeId, message } = request;
  const content = message === undefined ? null : toMessageBlocks(message);
  const source =
    ref === undefined
      ? await sourceOf(env, projectId, fromNodeId, await env.store.listBranches(projectId))
      : await env.store.getBranch(projectId, ref);
  const point = fromNodeId ?? source?.tipId ?? null;
  if (content !== null) {
    if (fromNodeId !== undefined) await env.store.getNodes(projectId, [fromNodeId]);
    return { source, parentId: point, asked: null, content };
  }
  if (point === null) throw new RequestError('nothing_to_regenerate', 'Nothing was asked here yet: write a message.');
  const user = userAbove(await env.store.path(projectId, point));
  return { source, parentId: user.parentId, asked: user.id, content: user.contentBlocks };
}

/**
 * The branch that one answer gets. A preset's system prompt counts from the beginning: instructions before the question
 * would stand between it and what the others answer, and it would no longer be the same question.
 */
export async function forkFor(
  env: Environment,
  place: AskPlace,
  { provider, model, thinking, preset: named }: AskTarget,
): Promise<Omit<Fork, 'branches'>> {
  const asked: EnvelopeRequest = { provider, model, thinking };
  const preset = named === undefined ? null : await chosenPreset(env, named, asked);
  const { instructionsFrom: _, ...requested } = withPreset(asked, preset);
  return {
    source: place.source,
    point: place.asked ?? place.parentId,
    requested,
    about: `${modelOf(env, place.source, requested)}: ${deriveTextFromBlocks(place.content)}`,
    preset,
  };
}

/** For the name of a branch: answers are told apart by who gave them. */
function modelOf(env: Environment, source: Branch | null, requested: EnvelopeRequest): string {
  const defaults = source?.envelope ?? {
    ...env.providers.defaults(null),
    systemPrompt: null,
    tools: [],
    thinking: 'off',
  };
  return resolveBranchConfig({
    source: source?.envelope ?? null,
    requested,
    defaults,
    defaultModelOf: (id) => env.providers.get(id).deployment.defaultModel,
  }).model;
}
