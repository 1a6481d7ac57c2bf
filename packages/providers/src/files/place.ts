import type { AttachedBlock, BlobHash, StoredFile } from '@bough/core';
import { base64Length, blobHash, isBlobHash } from '@bough/core';

/**
 * A place in a request for the bytes of a stored file. The body of a request never holds the bytes themselves: it names
 * them, and the transport fills them in while it sends.
 *
 * In a text, a place is written between two halves of characters. Everything else that goes into a request is
 * well-formed, because servers refuse half of a character: nobody can type a place, and no model can say one.
 */
export interface Place {
  readonly as: 'base64' | 'text';
  readonly hash: BlobHash;
  /** In bytes, as stored. */
  readonly size: number;
  readonly mediaType: string;
  readonly name: string;
  /** Of a picture; 0 for anything else. */
  readonly width: number;
  readonly height: number;
  /** Of a document; 0 for anything else. */
  readonly pages: number;
}

/** A place for a secret. Neither what is stored of a request nor what is shown of it holds the secret itself. */
export interface SecretPlace {
  readonly as: 'secret';
  readonly name: string;
  /** The server that is shown it. */
  readonly url: string;
}

export type AnyPlace = Place | SecretPlace;

const START = '\udb0b';
const END = '\udb0c';

/** How both halves look in JSON: an escape, since they have no form in UTF-8. */
const START_JSON = '\\udb0b';
const END_JSON = '\\udb0c';

/** A text with places in it, as a value to be written as JSON. The texts around the places are made well-formed. */
export class PlacedText {
  readonly parts: readonly (string | AnyPlace)[];

  constructor(parts: readonly (string | AnyPlace)[]) {
    this.parts = parts;
  }

  toJSON(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part.toWellFormed() : written(part))).join('');
  }
}

/** Texts as one, with or without places. */
export function joinTexts(texts: readonly (string | PlacedText)[], between: string): string | PlacedText {
  if (texts.every((text) => typeof text === 'string')) return texts.join(between);
  return new PlacedText(
    texts.flatMap((text, at) => [...(at === 0 ? [] : [between]), ...(typeof text === 'string' ? [text] : text.parts)]),
  );
}

/** The address of a file that is part of the request itself. */
export function dataUrl(block: AttachedBlock): PlacedText {
  return new PlacedText([`data:${block.file.mediaType};base64,`, placeOf(block, 'base64')]);
}

export function placeOf(block: AttachedBlock, as: Place['as'], file: StoredFile = block.file): Place {
  const isImage = block.type === 'image';
  return {
    as,
    hash: file.hash,
    size: file.size,
    mediaType: file.mediaType,
    name: block.name,
    width: isImage ? block.width : 0,
    height: isImage ? block.height : 0,
    pages: block.type === 'document' ? (block.pages ?? 1) : 0,
  };
}

// The words of a place hold nothing that JSON would escape.
function written(place: AnyPlace): string {
  return `${START}${wordsOf(place).join(' ')}${END}`;
}

function wordsOf(place: AnyPlace): readonly (string | number)[] {
  if (place.as === 'secret') return [place.as, coded(place.name), coded(place.url)];
  const { as, hash, size, width, height, pages, mediaType, name } = place;
  return [as, hash, size, width, height, pages, coded(mediaType), coded(name)];
}

const coded = (text: string): string => encodeURIComponent(text.toWellFormed());

function read(words: string): AnyPlace | null {
  const [kind, secret = '', url] = words.split(' ');
  if (kind === 'secret' && url !== undefined)
    return { as: kind, name: decodeURIComponent(secret), url: decodeURIComponent(url) };
  const [as, hash, size, width, height, pages, mediaType, name] = words.split(' ');
  if ((as !== 'base64' && as !== 'text') || !isBlobHash(hash) || name === undefined || mediaType === undefined) {
    return null;
  }
  const [bytes, wide, high, long] = [size, width, height, pages].map(Number);
  if (![bytes, wide, high, long].every((count) => Number.isSafeInteger(count))) return null;
  return {
    as,
    hash: blobHash(hash),
    size: bytes ?? 0,
    mediaType: decodeURIComponent(mediaType),
    name: decodeURIComponent(name),
    width: wide ?? 0,
    height: high ?? 0,
    pages: long ?? 0,
  };
}

// Both halves may also be part of a whole character; what stands between them here may not.
const PLACE = /\udb0b([\x20-\x7e]+)\udb0c/;

/** The first place in a value of a parsed body, such as the `data:` address of a picture; null if there is none. */
export function placeIn(value: string): Place | null {
  const words = PLACE.exec(value)?.[1];
  const place = words === undefined ? null : read(words);
  return place?.as === 'secret' ? null : place;
}

/** A JSON text in which every place is the line that people get to see. */
export function withNamedPlaces(json: string): string {
  return segmentsOf(json)
    .map((segment) => (typeof segment === 'string' ? segment : JSON.stringify(nameOf(segment)).slice(1, -1)))
    .join('');
}

/** What stands for the bytes wherever a request is shown or exported. */
export function nameOf(place: AnyPlace): string {
  if (place.as === 'secret') return `<secret ${place.name}>`;
  const { as, name, size, hash } = place;
  return `<${as} of ${name}, ${size} bytes, sha256 ${hash}>`;
}

/** A JSON text cut at its places. */
export function segmentsOf(json: string): readonly (string | AnyPlace)[] {
  if (!json.includes(START_JSON)) return [json];
  const segments: (string | AnyPlace)[] = [];
  let from = 0;
  // Escapes are read in pairs from the beginning, so that a backslash which somebody typed does not look like one.
  for (const { index, 0: escape } of json.matchAll(/\\(?:udb0b|.)/gs)) {
    if (escape !== START_JSON || index < from) continue;
    const start = index + START_JSON.length;
    const end = json.indexOf(END_JSON, start);
    const place = end < 0 ? null : read(json.slice(start, end));
    if (place === null) continue;
    segments.push(json.slice(from, index), place);
    from = end + END_JSON.length;
  }
  segments.push(json.slice(from));
  return segments;
}

/** How many bytes a place takes in the request. What a text takes once it is escaped is known only to who reads it. */
export function placeLength(place: AnyPlace): number {
  if (place.as === 'secret') return 0;
  return place.as === 'base64' ? base64Length(place.size) : place.size;
}

/** A JSON text in which everything but the places is changed. */
export function aroundPlaces(json: string, change: (json: string) => string): string {
  return segmentsOf(json)
    .map((segment) => (typeof segment === 'string' ? change(segment) : JSON.stringify(written(segment)).slice(1, -1)))
    .join('');
}
