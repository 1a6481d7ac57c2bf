import type { ProblemView } from '../types.ts';

/** The server refused, or could not be reached (`status` 0, code `unreachable`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    problem: Pick<ProblemView, 'status' | 'code' | 'detail'> & Partial<ProblemView>,
    options?: { cause?: unknown },
  ) {
    super(problem.detail, options);
    this.name = 'ApiError';
    this.status = problem.status;
    this.code = problem.code;
    this.extra = problem.extra ?? {};
  }
}

/** The error for a response that is not a success, whatever its body contains. */
export async function problemOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'code' in value && 'detail' in value) {
      // Checked for the two fields that matter; everything else is optional.
      return new ApiError({ status: response.status, ...(value as Pick<ProblemView, 'code' | 'detail'>) });
    }
  } catch (cause) {
    return new ApiError(
      {
        status: response.status,
        code: 'unreadable',
        detail: `The server answered ${response.status} with something that is not JSON.`,
      },
      { cause },
    );
  }
  return new ApiError({
    status: response.status,
    code: 'unreadable',
    detail: `The server answered ${response.status}.`,
  });
}
