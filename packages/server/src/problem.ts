import type { ProblemView } from '@bough/api';
import { BoughError, BranchLockedError, InvalidMessageError, UnboundedValueError, UnknownIdError } from '@bough/core';
import { OverBudgetError, RequestError } from '@bough/engine';
import { ConflictError } from '@bough/store';
import { storeTrouble } from './store-health/index.ts';

/** An error answer, with its status and code. */
export class HttpProblem extends BoughError {
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    extra?: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, detail);
    this.status = status;
    this.extra = extra;
    this.headers = headers;
  }
}

const REQUEST_STATUS: Readonly<Record<RequestError['code'], number>> = {
  invalid_content: 422,
  provider_not_ready: 409,
  key_for_other_address: 409,
  key_unreadable: 409,
  unknown_tool: 422,
  provider_tool_not_offered: 422,
  secret_missing: 422,
  instructions_not_appendable: 409,
  instructions_not_chosen: 409,
  unknown_model: 404,
  preset_unusable: 409,
  library_full: 422,
  price_unknown: 409,
  round_busy: 409,
  round_over: 409,
  limit_too_low: 409,
  nothing_to_compact: 409,
  nothing_to_merge: 409,
  merge_with_itself: 422,
  not_a_merge: 404,
  already_compacted: 409,
  too_long_to_compact: 409,
  summary_failed: 502,
  no_canvas: 404,
  nothing_to_regenerate: 409,
  nothing_to_continue: 409,
  no_running_turn: 409,
  not_awaiting_approval: 409,
  root_not_editable: 422,
  shutting_down: 503,
};

export function problemResponse(problem: ProblemView, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(problem, {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  });
}

/**
 * Every error that can reach a client, as problem details. Errors that are not meant for clients become one sentence
 * without detail.
 */
export function toProblem(error: unknown, requestId: string): ProblemView {
  const make = (
    status: number,
    code: string,
    detail: string,
    extra?: Readonly<Record<string, unknown>>,
  ): ProblemView => ({
    type: 'about:blank',
    title: code.replaceAll('_', ' '),
    status,
    code,
    detail,
    requestId,
    ...(extra === undefined ? {} : { extra: { ...extra } }),
  });
  if (error instanceof HttpProblem) return make(error.status, error.code, error.message, error.extra);
  if (error instanceof BranchLockedError)
    return make(409, error.code, error.message, { locked: error.locked, requested: error.requested });
  if (error instanceof UnknownIdError) return make(404, error.code, error.message, { kind: error.kind, id: error.id });
  if (error instanceof ConflictError) return make(409, error.code, error.message, { conflicting: error.conflicting });
  if (error instanceof RequestError) return make(REQUEST_STATUS[error.code], error.code, error.message);
  if (error instanceof OverBudgetError) {
    const { budget, used, endsAt } = error.state;
    return make(402, error.code, error.message, {
      budget: budget.name,
      used,
      limit: budget.limit,
      unit: budget.unit,
      endsAt,
    });
  }
  if (error instanceof InvalidMessageError) return make(422, error.code, error.message, { field: error.field });
  if (error instanceof UnboundedValueError) return make(422, error.code, error.message);
  const trouble = storeTrouble(error);
  if (trouble !== null) return make(trouble.status, trouble.code, trouble.sentence);
  if (error instanceof BoughError) return make(BOUGH_STATUS[error.code] ?? 422, error.code, error.message);
  return make(500, 'internal', 'Something went wrong inside Bough; the log of the server tells more.');
}

const BOUGH_STATUS: Readonly<Record<string, number>> = {
  fitting_unavailable: 503,
  invalid_search: 400,
  invalid_kind: 400,
  unknown_provider: 404,
  context_too_long: 422,
  settings_not_saved: 503,
  blob_too_large: 413,
  blob_damaged: 500,
};
