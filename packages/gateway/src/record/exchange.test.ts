import { callId, nodeId } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownBody } from './exchange.ts';
import { cutBody, writeBody } from './exchange.ts';

const NODE = nodeId('n');

const segmentsOf = (text: string): readonly string[] =>
  cutBody(text).ends.map((end, at, ends) => text.slice(ends[at - 1] ?? 0, end));

describe('segments', () => {
  it('GW-30: joined, the segments are the body, whatever it is', () => {
    const json = fc
      .tuple(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, 2))
      .map(([text, space]) => JSON.stringify(JSON.parse(text), null, space));
    fc.assert(
      fc.property(fc.oneof(json, fc.string({ unit: 'binary', maxLength: 2_000 })), (text) => {
        expect(segmentsOf(text).join('')).toBe(text);
      }),
    );
  });

  it('GW-30: a message in the middle of a body is a segment of its own, with escaped quotes and brackets in it', () => {
    const long = 'x'.repeat(300);
    const messages = [`${long} "quoted \\" ] } [ {`, `${long}\\`, `${long} 3`].map((content) => ({ content }));
    const body = JSON.stringify({ model: 'm', messages, tools: [{ name: long }, { name: `${long}2` }] });
    const segments = segmentsOf(body);
    for (const message of messages) {
      const json = JSON.stringify(message);
      expect(segments.filter((segment) => segment === json || segment === `,${json}`)).toHaveLength(1);
    }
  });
});

describe('pieces', () => {
  /** A conversation of an agent: each request repeats the history, with the cache mark on its last message. */
  function bodyOf(requests: number): string {
    const say = (role: string, at: number, isLast: boolean): object => ({
      role,
      content: [
        {
          type: 'text',
          text: `${role} ${at} ${'word '.repeat(200)}`,
          ...(isLast ? { cache_control: { type: 'ephemeral' } } : {}),
        },
      ],
    });
    const messages = Array.from({ length: 2 * requests - 1 }, (_, at) =>
      say(at % 2 === 0 ? 'user' : 'assistant', at, at === 2 * requests - 2),
    );
    const tools = Array.from({ length: 40 }, (_, at) => ({ name: `tool_${at}`, description: 'does '.repeat(300) }));
    return JSON.stringify({
      model: 'm',
      messages,
      system: 'You are '.repeat(500),
      tools,
      metadata: { turn: requests },
    });
  }

  /** Plays a conversation, and counts what is stored of its bodies. */
  function play(requests: number): { readonly bytes: number; readonly longest: number; readonly pieces: number } {
    let known: readonly KnownBody[] = [];
    let bytes = 0;
    let longest = 0;
    let pieces = 0;
    for (let request = 1; request <= requests; request += 1) {
      const written = writeBody(bodyOf(request), NODE, known);
      for (const rendering of written.renderings) bytes += rendering.bytes.length;
      const size = JSON.stringify(written.pieces).length;
      bytes += size;
      longest = Math.max(longest, request === 1 ? 0 : size);
      pieces += written.pieces.length;
      known = [{ call: callId(`c${request}`), of: 'came', segments: written.segments }];
    }
    return { bytes, longest, pieces };
  }

  it('GW-31: 200 requests cost twice as much as 100, not four times, although each repeats the history', () => {
    const [half, whole] = [play(100), play(200)];
    const sent = Array.from({ length: 200 }, (_, at) => bodyOf(at + 1).length).reduce((sum, length) => sum + length, 0);
    expect(whole.bytes).toBeLessThan(2.1 * half.bytes);
    expect(whole.bytes).toBeLessThan(sent / 20);
    // Not the bytes alone: what names them must not grow either.
    expect(whole.longest).toBeLessThan(1_500);
  });

  it('GW-31: what is sent is named by what came, and by what was sent before', () => {
    const came = bodyOf(5);
    const mended = came.replace('user 4', 'user four');
    const first = writeBody(came, NODE, []);
    const own: KnownBody = { call: callId('c'), of: 'came', segments: first.segments };
    const sent = writeBody(mended, NODE, [own]);
    expect(sent.renderings).toHaveLength(1);
    expect(sent.pieces.length).toBeLessThanOrEqual(3);
    expect(writeBody(mended, NODE, [{ call: callId('d'), of: 'sent', segments: sent.segments }]).renderings).toEqual(
      [],
    );
  });
});
