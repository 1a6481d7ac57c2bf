import type { Issuer, RawResponse } from '@bough/core';
import type { Redact } from '../../errors/index.ts';
import { framingOf } from '../../framing/index.ts';
import type { FrameReader } from '../../framing/index.ts';
import type { Protocol, StreamOutcome } from '../../protocol.ts';
import type { ReplyBatch } from '../../provider.ts';
import { joinBytes } from '../../render/body-text.ts';
import { Collector } from '../collect/index.ts';

/** Reads a reply that somebody else asked for, from the bytes that pass by. Nothing here throws. */
export interface ReplyListener {
  /** Null if the bytes completed nothing. */
  readonly take: (bytes: Uint8Array) => ReplyBatch | null;
  /** True once the provider has finished its reply. */
  readonly stopped: () => boolean;
  /** The last batches, which end with the stop. */
  readonly end: (outcome: StreamOutcome) => readonly ReplyBatch[];
  readonly raw: () => RawResponse;
}

export interface ListenerInput {
  readonly protocol: Protocol;
  readonly issuer: Issuer;
  /** As the provider declares it. */
  readonly contentType: string;
  readonly redact: Redact;
  /** ISO time of now. */
  readonly now: () => string;
}

/** The longest single event, and the longest reply that is not streamed, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024;

export function listenToReply({ protocol, issuer, contentType, redact, now }: ListenerInput): ReplyListener {
  let firstByteAt: string | null = null;
  const collector = new Collector({ protocol, issuer, redact, capturedAt: () => firstByteAt ?? now() });
  let blank: Uint8Array = new Uint8Array(0);
  let reading: FrameReader | null = null;
  return {
    take: (bytes) => {
      firstByteAt ??= now();
      let chunk = bytes;
      if (reading === null) {
        // Gateways send white space while they wait for the model: only what follows shows what kind of reply it is.
        chunk = blank.length === 0 ? bytes : joinBytes([blank, bytes]);
        if (chunk.every((byte) => BLANKS.has(byte))) {
          blank = chunk;
          return null;
        }
        reading = framingOf(contentType, chunk).read(MAX_LENGTH);
      }
      const framed = reading.overflowed() ? null : reading.take(chunk);
      return framed === null ? null : collector.take(framed.text, framed.events);
    },
    stopped: () => collector.stopped(),
    end: (outcome) => {
      const last: ReplyBatch[] = [];
      if (reading !== null && !reading.overflowed()) {
        const rest = reading.end();
        if (rest.type === 'events') last.push(collector.take(rest.text, rest.events));
        else if (rest.type === 'body') collector.takeBody(rest.text, outcome.type === 'closed');
        else collector.keep(rest.text);
      }
      return [...last, collector.finish(outcome)];
    },
    raw: () => collector.raw(),
  };
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
