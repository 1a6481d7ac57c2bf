/** What a round may find out. Everything but `failed` is a promise that was not kept. */
export type FindingKind =
  /** A message that was answered with 2xx is not there. */
  | 'message'
  /** Another write that was answered with 2xx is not there: a branch, a description. */
  | 'write'
  /** Thinking, text or a tool call that was shown is not in the history. */
  | 'reply'
  /** An error, usage or an end that was shown is not what is stored. */
  | 'report'
  | 'tool_result'
  /** A turn did not end, or the next message did not work. */
  | 'stuck'
  /** A message, a result, a branch or a part of a turn is there twice. */
  | 'doubled'
  /** A line is missing, or came differently the second time. */
  | 'order'
  /** A turn was interrupted although nobody asked for it and its owner lived. */
  | 'broken_off'
  /** `verify` found an error in the store. */
  | 'verify';

export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
  readonly projectId: string;
  readonly turnId?: string | undefined;
}
