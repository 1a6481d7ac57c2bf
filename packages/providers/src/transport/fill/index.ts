import type { BlobHash } from '@bough/core';
import { BoughError } from '@bough/core';
import type { AnyPlace, Place, SecretPlace } from '../../files/place.ts';
import { placeLength, segmentsOf } from '../../files/place.ts';
import type { SecretOf } from '../../secrets/index.ts';
import { MissingSecretError, noSecrets } from '../../secrets/index.ts';
import { base64Of, includesBytes, joinBytes } from './bytes.ts';

/** Where the bytes of files come from; undefined for a file that is not stored, or belongs to somebody else. */
export type ReadBlob = (
  hash: BlobHash,
) => Promise<{ readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | undefined>;

/** A file of the request is not there: sending it again would not help. */
export class MissingFileError extends BoughError {
  constructor(name: string) {
    super(
      'file_missing',
      `The file "${name}" is no longer stored, so the request was not sent. Attach it again, or edit the message without it.`,
    );
  }
}

/** A body whose places are filled while it is sent. */
export interface FilledBody {
  readonly length: number;
  readonly stream: () => ReadableStream<Uint8Array>;
}

type Segment = Uint8Array | AnyPlace;
/** With its secrets filled in. */
type Filling = Uint8Array | Place;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const START = ENCODER.encode('\\udb0b');

/**
 * The body with its places; null if it has none. Only the texts between them are held in memory: a file is read piece
 * by piece, as fast as the connection takes it.
 */
export function placesOf(body: string | readonly Uint8Array[]): readonly Segment[] | null {
  const pieces = typeof body === 'string' ? [body] : body;
  const segments = pieces.flatMap((piece): readonly Segment[] => {
    if (typeof piece !== 'string' && !includesBytes(piece, START)) {
      return [piece];
    }
    const text = typeof piece === 'string' ? piece : DECODER.decode(piece);
    return segmentsOf(text).map((segment) => (typeof segment === 'string' ? ENCODER.encode(segment) : segment));
  });
  return segments.some(isPlace) ? segments : null;
}

const isPlace = <Any extends AnyPlace>(segment: Uint8Array | Any): segment is Any => !(segment instanceof Uint8Array);

/**
 * Finds out how long the body will be. The length of base64 follows from the size; a text is read once to see how long
 * it is with its escapes.
 */
export async function filledBody(
  given: readonly Segment[],
  readBlob: ReadBlob,
  secretOf: SecretOf = noSecrets,
): Promise<FilledBody> {
  const segments = given.map((segment): Filling =>
    isPlace(segment) && segment.as === 'secret' ? secretBytes(segment, secretOf) : segment,
  );
  let length = 0;
  for (const segment of segments) {
    if (!isPlace(segment)) length += segment.length;
    else if (segment.as === 'base64') length += await storedLength(segment, readBlob);
    else for await (const piece of filled(segment, readBlob)) length += piece.length;
  }
  return { length, stream: () => streamOf(bytesOf(segments, readBlob)) };
}

function secretBytes({ name, url }: SecretPlace, secretOf: SecretOf): Uint8Array {
  const found = secretOf(name, url);
  if ('problem' in found) throw new MissingSecretError(found.problem);
  return inside(found.secret);
}

/** As the inside of a JSON string. */
const inside = (text: string): Uint8Array => ENCODER.encode(JSON.stringify(text).slice(1, -1));

/** A file whose size changed would not fit into the length that was announced. */
async function storedLength(place: Place, readBlob: ReadBlob): Promise<number> {
  const blob = await readBlob(place.hash);
  if (blob?.size !== place.size) throw new MissingFileError(place.name);
  return placeLength(place);
}

async function* bytesOf(segments: readonly Filling[], readBlob: ReadBlob): AsyncGenerator<Uint8Array, void, void> {
  for (const segment of segments) {
    if (isPlace(segment)) yield* filled(segment, readBlob);
    else yield segment;
  }
}

async function* filled(place: Place, readBlob: ReadBlob): AsyncGenerator<Uint8Array, void, void> {
  const blob = await readBlob(place.hash);
  if (blob === undefined) throw new MissingFileError(place.name);
  yield* place.as === 'base64' ? inBase64(blob.bytes) : escaped(blob.bytes);
}

async function* inBase64(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of bytes) {
    const whole = rest.length === 0 ? piece : joinBytes(rest, piece);
    const end = whole.length - (whole.length % 3);
    if (end > 0) yield base64(whole.subarray(0, end));
    rest = whole.slice(end);
  }
  if (rest.length > 0) yield base64(rest);
}

const base64 = (bytes: Uint8Array): Uint8Array => ENCODER.encode(base64Of(bytes));

/** A text as the inside of a JSON string. The decoder never cuts a character in two. */
async function* escaped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    if (text !== '') yield inside(text);
  }
  const last = decoder.decode();
  if (last !== '') yield inside(last);
}

/** Reads on only when the connection asks for more. */
function streamOf(bytes: AsyncGenerator<Uint8Array, void, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await bytes.return();
    },
  });
}
