import { base64Length } from '@bough/core';
import { placeIn } from './place.ts';
import { sniff, SNIFFED_BYTES } from './sniff.ts';

/** A file in a body, measured: by its place before it is sent, by its bytes where it arrives. */
export interface Measured {
  /** In base64, as sent. */
  readonly length: number;
  /** What the bytes are; null if they are of no known kind. */
  readonly mediaType: string | null;
  readonly width: number;
  readonly height: number;
  /** Of a PDF; 0 for anything else. */
  readonly pages: number;
  /** A PDF that is encrypted. By a place it is not: files are looked at before they get one. */
  readonly isProtected: boolean;
  /** False if it is no base64 at all. */
  readonly isBase64: boolean;
}

const NOTHING = { mediaType: null, width: 0, height: 0, pages: 0, isProtected: false } as const;

export function measure(data: string): Measured {
  const place = placeIn(data);
  if (place !== null) {
    const { size, mediaType, width, height, pages } = place;
    return { ...NOTHING, length: base64Length(size), mediaType, width, height, pages, isBase64: place.as === 'base64' };
  }
  return measureBytes(data);
}

function measureBytes(data: string): Measured {
  const { length } = data;
  if (length === 0 || length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    return { ...NOTHING, length, isBase64: false };
  }
  const start = decode(data.slice(0, Math.ceil(SNIFFED_BYTES / 3) * 4));
  const sniffed = sniff(start);
  const pdf = sniffed.mediaType === 'application/pdf' ? decode(data) : null;
  return {
    ...sniffed,
    length,
    pages: pdf === null ? 0 : pdfPages(pdf),
    isProtected: pdf !== null && isProtectedPdf(pdf),
    isBase64: true,
  };
}

function decode(base64: string): Uint8Array {
  const binary = atob(base64);
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** Counted as the objects that say they are pages; at least one, because compressed ones cannot be seen. */
export function pdfPages(bytes: Uint8Array): number {
  return Math.max(1, textOf(bytes).match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0);
}

/** Its trailer, which is never encrypted itself, says how the rest is. */
const isProtectedPdf = (bytes: Uint8Array): boolean => /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(textOf(bytes));

const textOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** The type and the base64 of a `data:` address; null if it is another one. */
export function dataUrlOf(url: string): { readonly mediaType: string; readonly data: string } | null {
  const found = /^data:([^;,]*);base64,/.exec(url);
  if (found === null) return null;
  return { mediaType: found[1] ?? '', data: url.slice(found[0].length) };
}
