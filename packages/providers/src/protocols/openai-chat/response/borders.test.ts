import { foldToBlocks } from '@bough/core';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { callDelta, foldAll, streamOf } from '../testing.ts';

/** A stream, and everything that its model wrote, as one text. */
const STREAMS: readonly (readonly [string, readonly string[], string])[] = [
  [
    'reasoning_content and a call',
    streamOf(
      [
        { reasoning_content: 'Sön' },
        { reasoning_content: 'nig? 🌞' },
        { content: 'Ja' },
        callDelta(0, 'a', 'f', '{"x":'),
        callDelta(0, null, null, '"é"}'),
      ],
      'tool_calls',
    ),
    'Sönnig? 🌞 Ja',
  ],
  [
    'think tags',
    streamOf(['<th', 'ink>Hm <', '/think> 你', '好'].map((content) => ({ content }))),
    '<think>Hm </think> 你好',
  ],
  [
    'signed details',
    streamOf([
      { reasoning_details: [{ type: 'reasoning.text', text: 'a', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'b', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] },
      { content: 'c' },
    ]),
    'ab c',
  ],
  [
    'content parts',
    streamOf([
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'b' }] }] },
      { content: 'c' },
    ]),
    'ab c',
  ],
];

/** The events of an SSE body that arrives in these pieces. */
function readPieces(pieces: readonly Uint8Array[]): readonly string[] {
  const chunks: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => chunks.push(data) });
  const decoder = new TextDecoder();
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  return chunks;
}

describe.each(STREAMS)('%s', (_, chunks, said) => {
  const bytes = new TextEncoder().encode(chunks.map((data) => `data: ${data}\n\n`).join(''));
  const whole = foldAll(chunks);

  it('OAC-9: comes out the same for every border between two bytes', () => {
    for (let border = 0; border <= bytes.length; border += 1) {
      const read = readPieces([bytes.subarray(0, border), bytes.subarray(border)]);
      expect(foldAll(read)).toEqual(whole);
    }
  });

  it('OAC-9: comes out the same byte by byte', () => {
    const read = readPieces(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(foldAll(read)).toEqual(whole);
  });

  it('OAC-9: cut after any byte it is a valid partial with one stop that says nothing the model did not write', () => {
    for (let border = 0; border <= bytes.length; border += 1) {
      const events = foldAll(readPieces([bytes.subarray(0, border)]), { type: 'aborted' });
      expect(events.filter((event) => event.type === 'stop')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('stop');
      for (const block of foldToBlocks(events)) {
        const words = 'text' in block ? block.text : 'thinking' in block ? block.thinking : '';
        expect(said).toContain(words);
      }
    }
  });
});
