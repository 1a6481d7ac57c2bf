/** Channels belong to the database; each schema has its own. */
export function channelOf(schema: string): string {
  return `bough:${schema}`;
}
