import { describe, expect, it } from 'vitest';
import { eventsIn, readKept } from './kept.ts';
import { createEventReader, isWhole } from './sse.ts';

const LIMIT = 1_000_000;
const STREAM =
  '\uFEFFevent: start\ndata: {"a":"é 漢 👩‍👧 \u2028"}\n\n: a comment\nid: 7\nretry: 5\ndata: first\ndata: second\r\n\r\nevent: last\rdata: [DONE]\r\r';
const EVENTS = [
  { event: 'start', data: '{"a":"é 漢 👩‍👧 \u2028"}' },
  { data: 'first\nsecond' },
  { event: 'last', data: '[DONE]' },
];

function readAll(pieces: readonly Uint8Array[]): unknown[] {
  const decoder = new TextDecoder();
  const reader = createEventReader(LIMIT);
  const events = pieces.flatMap((piece) => reader.read(decoder.decode(piece, { stream: true })));
  return [...events, ...reader.read(decoder.decode()), ...reader.rest()];
}

describe('createEventReader', () => {
  const bytes = Buffer.from(STREAM);

  it('TRN-1: gives the same events for a stream that is split at any byte', () => {
    for (let border = 0; border <= bytes.length; border += 1) {
      expect(readAll([bytes.subarray(0, border), bytes.subarray(border)])).toEqual(EVENTS);
    }
  });

  it('TRN-1: gives the same events byte by byte', () => {
    expect(readAll(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
  });

  it('TRN-2: bytes that are not UTF-8 are read as replacement characters', () => {
    const broken = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff, 0xc3]), Buffer.from('\n\ndata: b\n\n')]);
    expect(readAll([broken])).toEqual([{ data: 'a\uFFFD\uFFFD' }, { data: 'b' }]);
  });

  it('TRN-3: what stands unfinished at the end is given, also in the middle of a character', () => {
    expect(readAll([Buffer.from('event: x\ndata: {"a":"é').subarray(0, -1)])).toEqual([
      { event: 'x', data: '{"a":"\uFFFD' },
    ]);
  });

  it('TRN-4: an event beyond the limit is given up instead of filling the memory', () => {
    const reader = createEventReader(100);
    reader.read(`data: ${'x'.repeat(200)}`);
    expect(reader.overflowed()).toBe(true);
    expect(reader.read('\n\ndata: y\n\n')).toEqual([]);
    expect(reader.rest()).toEqual([]);
  });
});

describe('eventsIn', () => {
  it('TRN-3: a stream that was kept as text has the events that it had, wherever it was cut', () => {
    const text = STREAM.replace('\uFEFF', '');
    for (let border = 0; border <= text.length; border += 1) {
      expect(eventsIn([text.slice(0, border), text.slice(border)])).toEqual({ whole: EVENTS, torn: [] });
    }
  });

  it('TRN-3: the event inside which it broke off is told apart, unless nothing but its blank line is missing', () => {
    expect(eventsIn(['data: {"a":1}\n\ndata: {"b":', '2'])).toEqual({
      whole: [{ data: '{"a":1}' }],
      torn: [{ data: '{"b":2' }],
    });
    expect(eventsIn(['data: {"a":1}\n\ndata: {"b":', '2}'])).toEqual({
      whole: [{ data: '{"a":1}' }, { data: '{"b":2}' }],
      torn: [],
    });
    expect(eventsIn([])).toEqual({ whole: [], torn: [] });
  });
});

describe('isWhole', () => {
  it('TRN-3: tells an event that only lacks its blank line from one that was cut', () => {
    expect(isWhole({ data: '{"a":1}' })).toBe(true);
    expect(isWhole({ data: '[DONE]' })).toBe(true);
    expect(isWhole({ data: '{"a":' })).toBe(false);
  });
});

describe('readKept', () => {
  it('TRN-3: a reply that came as one body is read as one, however it was cut', () => {
    expect(readKept([' {"a":', '1}'])).toEqual({ body: ' {"a":1}', whole: [], torn: [] });
    expect(readKept(['<html>'])).toEqual({ body: '<html>', whole: [], torn: [] });
  });

  it('TRN-3: anything else is an event stream, also an empty one', () => {
    expect(readKept(['data: {"a":', '1}\n\n'])).toEqual({ body: null, whole: [{ data: '{"a":1}' }], torn: [] });
    expect(readKept([])).toEqual({ body: null, whole: [], torn: [] });
  });
});
