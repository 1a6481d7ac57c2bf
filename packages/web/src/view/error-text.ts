/** What went wrong, in words. Anything can be thrown, not only errors. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
