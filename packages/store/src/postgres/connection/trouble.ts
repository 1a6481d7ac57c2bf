import { BoughError } from '@bough/core';
import { StoreError } from '../../errors.ts';

/** SQLSTATE, or the code of a system error, or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const LOSS_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT', // the socket of a server that is not running
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND', // the name of a server being replaced; a wrong one is reported when the store is opened
  'EAI_AGAIN',
  '08000',
  '08001',
  '08003',
  '08006',
  '57P01', // the server is being stopped
  '57P02', // another of its processes crashed
  '57P03', // it is starting
  '25P03', // the transaction waited too long for us: we were stopped in the middle of it
]);

// The driver has no codes for these.
const LOSS_MESSAGES: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

/** The connection is gone, or was never there; the statement itself is not to blame. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return LOSS_CODES.has(code);
  return error instanceof Error && LOSS_MESSAGES.has(error.message);
}

/**
 * Worth another attempt to connect: besides a loss, a server that has not yet noticed that our earlier connections are
 * gone.
 */
export function mayConnectLater(error: unknown): boolean {
  return isConnectionLoss(error) || codeOf(error) === '53300';
}

/** PostgreSQL undid the transaction because of another one; it is meant to be repeated. */
export function isLostRace(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** A unique, foreign or other key refused the row. */
export function isViolation(error: unknown): boolean {
  return codeOf(error)?.startsWith('23') === true;
}

/** Turns what the driver throws into an error that says what to do. `target` names the server, without its password. */
export function databaseTrouble(error: unknown, target: string): BoughError {
  if (error instanceof BoughError) return error;
  const code = codeOf(error);
  const because = error instanceof Error ? error.message : String(error);
  const trouble = (id: string, message: string): StoreError => new StoreError(id, target, message, { cause: error });
  switch (code) {
    case '28P01':
    case '28000':
      return trouble(
        'access_denied',
        `PostgreSQL at ${target} refused the login. Check the user and the password in DATABASE_URL.`,
      );
    case '3D000':
      return trouble('database_missing', `There is no such database at ${target}. Create it, or correct DATABASE_URL.`);
    case '42501':
      return trouble('access_denied', `The user of DATABASE_URL may not do that at ${target}: ${because}`);
    case '53100':
      return trouble('disk_full', `The disk of PostgreSQL at ${target} is full. Free some space; nothing was changed.`);
    case '53300':
      return trouble(
        'too_many_connections',
        `PostgreSQL at ${target} has no connection left. Lower the pool size or raise max_connections.`,
      );
    case '25006':
      return trouble(
        'store_read_only',
        `PostgreSQL at ${target} is read-only (a standby?). Point DATABASE_URL to the primary.`,
      );
    case '57014':
      return trouble(
        'statement_timeout',
        `PostgreSQL at ${target} took too long and was stopped; nothing was changed.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return trouble(
        'store_unreachable',
        `PostgreSQL at ${target} cannot be reached (${because}). Check DATABASE_URL.`,
      );
    default:
      if (isConnectionLoss(error)) {
        return trouble('store_unreachable', `PostgreSQL at ${target} cannot be reached (${because}). Is it running?`);
      }
      return trouble('database_error', `PostgreSQL at ${target} failed: ${because}`);
  }
}
