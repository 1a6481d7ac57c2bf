/** Channels are per database; each schema gets its own. */
export function channelOf(schema: string): string {
  return `bough:${schema}`;
}
