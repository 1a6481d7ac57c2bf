/** What went wrong, in words. Anything can be thrown, not only errors. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const ID = /[ ]?["“]?\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b["”]?/gi;

/** The sentence without the ids of projects, branches and messages: to a reader they say nothing. */
export function withoutIds(message: string): string {
  return message.replaceAll(ID, '');
}
