import type { NodeId } from '@bough/core';

/** The text of a request's body in its parts: what precedes the messages, each message, and what follows them. */
export interface BodyText {
  /** Up to the first message: the bracket is open, and anything already inside it ends with a comma. */
  readonly before: string;
  readonly messages: readonly MessageJson[];
  readonly behind: string;
}

/** One message of a body, or the protocol's equivalent. */
export interface MessageJson {
  /** The node that its first part came from. */
  readonly nodeId: NodeId;
  readonly json: string;
}

export function joinBody({ before, messages, behind }: BodyText): string {
  return `${before}${joinMessages(messages)}${behind}`;
}

export function joinMessages(messages: readonly MessageJson[]): string {
  return messages.map(({ json }) => json).join(',');
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
