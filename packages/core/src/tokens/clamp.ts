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
  /** Throw instead of asking for a single token when the input fills the window. */
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
  const wanted = requested !== undefined && Number.isFinite(requested) ? requested : maxOutputTokens;
  return Math.max(1, Math.floor(Math.min(wanted, maxOutputTokens, free)));
}
