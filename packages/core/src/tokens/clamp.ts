import { BoughError } from '../errors/index.ts';

/** What an unknown model is assumed to allow: small enough for any server in use. */
export const CONSERVATIVE_LIMITS: ModelLimits = { contextWindow: 32_768, maxOutputTokens: 4_096 };

export interface ModelLimits {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

export interface ClampInput {
  /** How many are asked for; if absent, as many as the model allows. */
  readonly requested?: number | undefined;
  readonly inputTokens: number;
  /** Null for an unknown model. */
  readonly limits: ModelLimits | null;
  /** Throw where what is asked for does not fit, instead of asking for what does. */
  readonly failEarly?: boolean;
}

/** The input leaves no room for an answer. */
export class ContextTooLongError extends BoughError {
  readonly inputTokens: number;
  readonly contextWindow: number;

  constructor(inputTokens: number, contextWindow: number, advice: string) {
    super(
      'context_too_long',
      `The request needs about ${inputTokens} tokens, and the model's window holds ${contextWindow}. ${advice}`,
    );
    this.inputTokens = inputTokens;
    this.contextWindow = contextWindow;
  }
}

/** More tokens were asked for than the model gives, or than the input leaves room for. */
export class MaxTokensError extends BoughError {
  readonly requested: number;
  readonly available: number;

  constructor(requested: number, available: number, reason: string) {
    super(
      'max_tokens_too_high',
      `A reply of up to ${requested} tokens was asked for, and ${reason}. Ask for at most ${available}, or leave failEarly off to get as many as there are.`,
    );
    this.requested = requested;
    this.available = available;
  }
}

/** Throws where a model never gives as many tokens as are asked for, whatever the input. */
export function requireWithinCap(requested: number | undefined, { maxOutputTokens }: ModelLimits): void {
  if (requested === undefined || requested <= maxOutputTokens) return;
  throw new MaxTokensError(requested, maxOutputTokens, `the model gives at most ${maxOutputTokens}`);
}

/**
 * The number of tokens to ask for: a whole number, at least 1, within the model's output cap and the room that the
 * input leaves.
 */
export function clampMaxTokens({ requested, inputTokens, limits, failEarly = false }: ClampInput): number {
  const { contextWindow, maxOutputTokens } = limits ?? CONSERVATIVE_LIMITS;
  const free = contextWindow - inputTokens;
  if (failEarly && free < 1) {
    throw new ContextTooLongError(inputTokens, contextWindow, 'Shorten the message, or branch from an earlier point.');
  }
  if (failEarly && requested !== undefined) {
    requireWithinCap(requested, { contextWindow, maxOutputTokens });
    if (requested > free)
      throw new MaxTokensError(
        requested,
        free,
        `the conversation leaves about ${free} of the window's ${contextWindow}`,
      );
  }
  const wanted = requested !== undefined && Number.isFinite(requested) ? requested : maxOutputTokens;
  return Math.max(1, Math.floor(Math.min(wanted, maxOutputTokens, free)));
}
