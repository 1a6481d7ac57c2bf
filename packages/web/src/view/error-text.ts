/** What went wrong, in words. What is thrown need not be an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
