import type { Socket } from 'node:net';

/** A message of PostgreSQL's protocol, with its head. */
export interface Frame {
  /** Its letter; the first messages of a client have none. */
  readonly type: string;
  readonly message: Buffer;
}

const SSL_REQUEST = 80_877_103;

/** The messages that arrive on a wire. A client begins with one or two that have no letter. */
export async function* framesOf(socket: Socket, { withStartup = false } = {}): AsyncGenerator<Frame, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let isStartup = withStartup;
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      const head = isStartup ? 0 : 1;
      if (rest.length < head + 4) break;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) break;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      yield { type: isStartup ? 'startup' : String.fromCharCode(message[0] ?? 0), message };
      if (isStartup) isStartup = message.readInt32BE(4) === SSL_REQUEST;
    }
  }
}
