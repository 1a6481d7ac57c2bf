import type { Branch, Envelope, TreeNode } from '../entities/index.ts';
import { DEFAULT_COMPACTING } from '../summaries/index.ts';
import { BoughError, UnknownIdError } from '../errors/index.ts';

/** What is asked for; anything left out is inherited. */
export type EnvelopeRequest = { readonly [Key in keyof Envelope]?: Envelope[Key] | undefined };

export interface BranchConfigInput {
  /** The branch that the new one is forked from; null for a first branch, or for an old one without a lock. */
  readonly source: Envelope | null;
  readonly requested: EnvelopeRequest;
  /** Used if there is no source. */
  readonly defaults: Envelope;
  /** The model that a provider uses when none is named; undefined for a provider that does not exist. */
  readonly defaultModelOf: (provider: string) => string | undefined;
}

/**
 * The envelope of a new branch. Everything is inherited from the source (or the defaults) unless it is asked for. A
 * provider without a model keeps the source's model if it is the source's own provider, and otherwise takes that
 * provider's default: one provider's model name means nothing to another.
 */
export function resolveBranchConfig(input: BranchConfigInput): Envelope {
  const { requested, defaultModelOf } = input;
  const base = input.source ?? input.defaults;
  const provider = requested.provider ?? base.provider;
  const providerDefault = defaultModelOf(provider);
  if (providerDefault === undefined) throw new UnknownIdError('provider', provider);
  return {
    provider,
    model: requested.model ?? (provider === base.provider ? base.model : providerDefault),
    systemPrompt: requested.systemPrompt === undefined ? base.systemPrompt : requested.systemPrompt,
    tools: requested.tools ?? base.tools,
    thinking: requested.thinking ?? base.thinking,
    ...replyLimits(requested.maxTokens ?? base.maxTokens, requested.failEarly ?? base.failEarly),
    ...filesSetting(requested.filesOtherwise ?? base.filesOtherwise),
    ...providerToolsSetting(requested.providerTools ?? base.providerTools),
    ...choicesSetting(requested.choices ?? base.choices),
    ...summariesSetting(requested.summaries ?? base.summaries),
    ...compactingSetting(requested.compacting ?? base.compacting),
  };
}

/** The part of an envelope that limits replies: only what is set. */
export function replyLimits(
  maxTokens: number | null | undefined,
  failEarly: boolean | undefined,
): Pick<Envelope, 'maxTokens' | 'failEarly'> {
  return { ...(maxTokens == null ? {} : { maxTokens }), ...(failEarly === true ? { failEarly } : {}) };
}

/** What becomes of files that the model does not take: only what differs from the usual is stored. */
export function filesSetting(filesOtherwise: Envelope['filesOtherwise']): Pick<Envelope, 'filesOtherwise'> {
  return filesOtherwise === 'omit' ? { filesOtherwise } : {};
}

/** What the provider runs itself for the model: only what is switched on is stored. */
export function providerToolsSetting(tools: Envelope['providerTools']): Pick<Envelope, 'providerTools'> {
  return tools === undefined || tools.length === 0 ? {} : { providerTools: tools };
}

/** What was decided about single messages: nothing is stored as nothing. */
export function choicesSetting(choices: Envelope['choices']): Pick<Envelope, 'choices'> {
  return choices === undefined || Object.keys(choices).length === 0 ? {} : { choices };
}

/** The summaries that stand for earlier messages: none are stored as nothing. */
export function summariesSetting(summaries: Envelope['summaries']): Pick<Envelope, 'summaries'> {
  return summaries === undefined || summaries.length === 0 ? {} : { summaries };
}

/** What happens as the window fills up: only what differs from the usual is stored. */
export function compactingSetting(compacting: Envelope['compacting']): Pick<Envelope, 'compacting'> {
  if (compacting === undefined) return {};
  const { mode, share } = DEFAULT_COMPACTING;
  return compacting.mode === mode && compacting.share === share ? {} : { compacting };
}

/** A request that names a provider or model other than the one that the branch is locked to. */
export class BranchLockedError extends BoughError {
  readonly locked: Pick<Envelope, 'provider' | 'model'>;
  readonly requested: Pick<EnvelopeRequest, 'provider' | 'model'>;

  constructor(
    branch: string,
    locked: Pick<Envelope, 'provider' | 'model'>,
    requested: Pick<EnvelopeRequest, 'provider' | 'model'>,
  ) {
    const wanted = [requested.provider, requested.model].filter((part) => part !== undefined).join('/');
    super(
      'branch_locked',
      `The branch "${branch}" is locked to ${locked.provider}/${locked.model}. To use ${wanted}, create a branch from it with that provider and model.`,
    );
    this.locked = { provider: locked.provider, model: locked.model };
    // Whoever calls may have given a whole request; what it says is nobody's business here.
    this.requested = {
      ...(requested.provider === undefined ? {} : { provider: requested.provider }),
      ...(requested.model === undefined ? {} : { model: requested.model }),
    };
  }
}

/** Null if the request agrees with the lock: naming the same provider and model again is no mismatch. */
export function checkBranchLock(
  branch: Pick<Branch, 'name' | 'envelope'>,
  requested: Pick<EnvelopeRequest, 'provider' | 'model'>,
): BranchLockedError | null {
  const { provider, model } = branch.envelope;
  const agrees =
    (requested.provider === undefined || requested.provider === provider) &&
    (requested.model === undefined || requested.model === model);
  return agrees ? null : new BranchLockedError(branch.name, branch.envelope, requested);
}

/**
 * Whether something on the path was made under the lock. Until then nothing depends on it, and it may change. A reply
 * that does not name its maker counts as the lock's own, unless the lock is only a guess: what a branch of another
 * program was opened with, because that program did not say.
 */
export function isLockUsed(
  lock: Pick<Envelope, 'provider' | 'model'>,
  path: readonly Pick<TreeNode, 'role' | 'provider' | 'modelUsed'>[],
  isGuess: boolean,
): boolean {
  return path.some(({ role, provider, modelUsed }) => {
    if (role !== 'assistant') return false;
    if (modelUsed === null) return !isGuess;
    return modelUsed === lock.model && (provider ?? lock.provider) === lock.provider;
  });
}
