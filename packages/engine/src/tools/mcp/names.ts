import { sha256 } from '@bough/core';

/** What every provider accepts as a tool name. */
const MAX_LENGTH = 64;

/** The wire name of a server's tool: dots are not allowed there, and two servers may offer tools with the same name. */
export function wireName(server: string, tool: string): string {
  const name = `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, '_');
  const exact = name === `${server}__${tool}` && name.length <= MAX_LENGTH;
  // A name that had to be changed gets a suffix of its own, so that two names never become one.
  return exact ? name : `${name.slice(0, MAX_LENGTH - 9)}_${sha256(`${server}\n${tool}`).slice(0, 8)}`;
}
