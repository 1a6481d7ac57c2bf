/**
 * The value that Google documents for a call whose signature is unavailable: another model made it, or it was lost. The
 * validator accepts it; the reasoning behind the call is not continued.
 */
export const SKIP_SIGNATURE = 'skip_thought_signature_validator';

/** Everything that is accepted in place of a signature. */
export const SIGNATURE_SENTINELS: ReadonlySet<string> = new Set([
  SKIP_SIGNATURE,
  'context_engineering_is_the_way_to_go',
]);
