import type { ClientBody } from '../dialect.ts';
import type { Json } from './json.ts';

/**
 * Reads a body that was parsed; null if it is no conversation of this protocol. `callsBefore` are calls of messages
 * that were taken out of it: calls without ids are numbered.
 */
export type ReadDialect = (
  body: Json,
  text: string,
  pathModel: string | undefined,
  callsBefore?: number,
) => Omit<ClientBody, 'json'> | null;
