import { BoughError } from '@bough/core';
import type { KeyProblem } from '@bough/providers';

export type RequestErrorCode =
  | 'invalid_content'
  | KeyProblem['code']
  | 'unknown_tool'
  | 'provider_tool_not_offered'
  | 'secret_missing'
  | 'instructions_not_appendable'
  | 'instructions_not_chosen'
  | 'unknown_model'
  | 'preset_unusable'
  | 'library_full'
  | 'price_unknown'
  | 'round_busy'
  | 'round_over'
  | 'limit_too_low'
  | 'nothing_to_compact'
  | 'nothing_to_merge'
  | 'merge_with_itself'
  | 'not_a_merge'
  | 'already_compacted'
  | 'too_long_to_compact'
  | 'summary_failed'
  | 'no_canvas'
  | 'nothing_to_regenerate'
  | 'nothing_to_continue'
  | 'no_running_turn'
  | 'not_awaiting_approval'
  | 'root_not_editable'
  | 'shutting_down';

/** A request that is well-formed, but makes no sense here and now. */
export class RequestError extends BoughError {
  declare readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string) {
    super(code, message);
  }
}
