/** What a round may find. Everything but `failed` is a broken promise. */
export type FindingKind =
  /** A message that was answered with 2xx is missing. */
  | 'message'
  /** Another write that was answered with 2xx is missing: a branch, a description. */
  | 'write'
  /** Thinking, text or a tool call that was shown is not in the history. */
  | 'reply'
  /** An error, usage or an end that was shown differs from what is stored. */
  | 'report'
  | 'tool_result'
  /** A turn did not end, or the next message did not work. */
  | 'stuck'
  /** A message, a result, a branch or a part of a turn exists twice. */
  | 'doubled'
  /** A line is missing, or was different the second time. */
  | 'order'
  /** A turn was interrupted although nobody asked for that and its owner was alive. */
  | 'broken_off'
  /** `verify` found an error in the store. */
  | 'verify';

export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
  readonly projectId: string;
  readonly turnId?: string | undefined;
}
