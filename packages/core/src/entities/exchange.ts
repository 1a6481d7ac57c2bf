import { isPlainObject } from '../blocks/plain-object.ts';
import type { ProtocolId } from '../raw/index.ts';
import type { CallId, NodeId, TurnId } from './ids.ts';

/**
 * How a request that came from a client through the gateway can be rebuilt to the byte. It notes what was, so it may
 * name nodes and calls that were removed since; what they held can then not be rebuilt any more.
 */
export interface Exchange {
  /** The client's name, with its version if it says one. */
  readonly client: string;
  /** The session that the client declared; null if it declared none. */
  readonly session: string | null;
  readonly mode: 'record' | 'repair' | 'route';
  /** The protocol that the client spoke. */
  readonly protocol: ProtocolId;
  /** The provider's path with its query, without secrets. */
  readonly path: string;
  /** The client's body. */
  readonly came: readonly Piece[];
  /** The body that left; absent: the same. */
  readonly sent?: readonly Piece[];
  /** What was changed in between; absent: nothing. */
  readonly repairs?: readonly Repair[];
  /**
   * Names what must come back exactly, up to the reply of this call: a client whose next request has it changed
   * nothing that counts. Absent: not known.
   */
  readonly firm?: string;
}

/**
 * Bytes of a body: a rendering, or those segments of another call's body that lie in [from, to). A rendering is one
 * segment; a range has as many as it spans.
 */
export type Piece =
  | { readonly node: NodeId; readonly key: string }
  | {
      readonly call: CallId;
      /** The turn of that call, which may lie beside the path. */
      readonly turn?: TurnId;
      readonly of: 'came' | 'sent';
      readonly from: number;
      readonly to: number;
    };

/** One change that kept a provider from refusing a client's body. */
export interface Repair {
  /** The rule that the body broke. */
  readonly rule: string;
  /** Where in the body. */
  readonly at: string;
  readonly what: string;
}

export const RECORDED_KINDS = ['main', 'aside'] as const;
export const RECORDED_BECAUSE = ['edited', 'rewound', 'regenerated', 'compacted'] as const;

/** Where a branch that the gateway recorded comes from. */
export interface Recorded {
  readonly client: string;
  readonly session: string | null;
  /** `aside`: what a client asks beside its conversation (a title, a sub-agent). */
  readonly kind: (typeof RECORDED_KINDS)[number];
  /** For an aside: the newest node of the conversation when it began. It may have been removed since. */
  readonly beside: NodeId | null;
  /** What the client did to its history, so that it went on elsewhere than at the end; null: nothing. */
  readonly because: (typeof RECORDED_BECAUSE)[number] | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isPlace = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function isPiece(value: unknown): value is Piece {
  if (!isPlainObject(value)) return false;
  if (isText(value['node'])) return isText(value['key']);
  const ofBody = value['of'] === 'came' || value['of'] === 'sent';
  const isOfTurn = value['turn'] === undefined || isText(value['turn']);
  return isText(value['call']) && isOfTurn && ofBody && isPlace(value['from']) && isPlace(value['to']);
}

function isRepair(value: unknown): value is Repair {
  return isPlainObject(value) && isText(value['rule']) && isText(value['at']) && isText(value['what']);
}

function isListOf(is: (value: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(is);
}

const MODES: readonly unknown[] = ['record', 'repair', 'route'] satisfies readonly Exchange['mode'][];

/** Whether a stored value is an exchange. */
export function isExchange(value: unknown): value is Exchange {
  return (
    isPlainObject(value) &&
    [value['client'], value['protocol'], value['path']].every(isText) &&
    isTextOrNull(value['session']) &&
    MODES.includes(value['mode']) &&
    isListOf(isPiece, value['came']) &&
    (value['firm'] === undefined || isText(value['firm'])) &&
    (value['sent'] === undefined || isListOf(isPiece, value['sent'])) &&
    (value['repairs'] === undefined || isListOf(isRepair, value['repairs']))
  );
}

/** Whether a stored value says where a branch was recorded from. */
export function isRecorded(value: unknown): value is Recorded {
  if (!isPlainObject(value)) return false;
  const { client, session, kind, beside, because } = value;
  const kinds: readonly unknown[] = RECORDED_KINDS;
  const reasons: readonly unknown[] = [null, ...RECORDED_BECAUSE];
  const named = isText(client) && isTextOrNull(session) && isTextOrNull(beside);
  return named && kinds.includes(kind) && reasons.includes(because);
}
