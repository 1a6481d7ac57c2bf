import fc from 'fast-check';
import { anyText } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import type { Availability } from '../entities/index.ts';
import { badgeOf, canonicalBlocks, capThinking, observedAvailability, thinkingOf } from './index.ts';

const thinking = (text: string, signature?: string): ContentBlock =>
  signature === undefined ? { type: 'thinking', thinking: text } : { type: 'thinking', thinking: text, signature };
const redacted: ContentBlock = { type: 'redacted_thinking', data: 'x' };
const signature: ContentBlock = { type: 'thinking_signature', signature: 's' };
const text: ContentBlock = { type: 'text', text: 'x' };

describe('observedAvailability', () => {
  it.each<[string, ContentBlock[], Availability, Availability]>([
    ['readable thinking is what its model shows', [thinking('hm'), text], 'summary', 'summary'],
    ['readable thinking from an unknown model is full', [thinking('hm')], 'none', 'full'],
    ['only redacted', [redacted, text], 'full', 'redacted'],
    ['some readable, some redacted', [thinking('hm'), redacted], 'full', 'partial'],
    ['signed but empty', [thinking('', 's'), text], 'full', 'none'],
    ['nothing but a signature', [signature, text], 'summary', 'none'],
  ])('AV-2: %s', (_, blocks, expected, observed) => {
    expect(observedAvailability(blocks, expected)).toBe(observed);
  });

  it('AV-2: what was cut is partial', () => {
    expect(observedAvailability([thinking('hm')], 'full', true)).toBe('partial');
  });

  it('AV-3: a reply without reasoning has nothing to report', () => {
    expect(thinkingOf([text], 'full', false)).toBeNull();
    expect(thinkingOf([signature, text], 'full', false)).toEqual({ availability: 'none', truncated: false });
  });
});

describe('hidden reasoning', () => {
  it('AV-3: reasoning that is only counted is hidden by the provider', () => {
    const hidden = thinkingOf([text], 'none', false, 192);
    expect(hidden).toEqual({ availability: 'none', truncated: false });
    expect(badgeOf(hidden)).toBe('Hidden by provider');
  });
});

describe('capThinking', () => {
  it('AV-4: what fits is left as it is, the same object', () => {
    const blocks = [thinking('x'.repeat(64 * 1024), 's'), text];
    expect(capThinking(blocks)).toEqual({ blocks, truncated: false });
    expect(capThinking(blocks).blocks).toBe(blocks);
  });

  it('AV-5: cuts by bytes over all thoughts of the reply, at a character border, and the cut thought loses its signature', () => {
    const { blocks, truncated } = capThinking(
      [thinking('ab', 's1'), text, thinking('é😀z', 's2'), thinking('late', 's3')],
      8,
    );
    expect(truncated).toBe(true);
    expect(blocks).toEqual([thinking('ab', 's1'), text, thinking('é😀z'.slice(0, 3)), thinking('')]);
    expect(capThinking([thinking('😀')], 3).blocks).toEqual([thinking('')]);
  });

  it('AV-6: is never longer than the cap, never splits a character, and keeps every other block', () => {
    fc.assert(
      fc.property(fc.array(anyText.map((value) => thinking(value, 's'))), fc.nat(200), (blocks, cap) => {
        const { blocks: capped } = capThinking([...blocks, redacted, text], cap);
        const texts = capped.map((block) =>
          'thinking' in block && typeof block.thinking === 'string' ? block.thinking : '',
        );
        expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(cap);
        expect(capped).toHaveLength(blocks.length + 2);
        blocks.forEach((block, index) => {
          const whole = 'thinking' in block && typeof block.thinking === 'string' ? block.thinking : '';
          const part = texts[index] ?? '';
          expect(whole.startsWith(part)).toBe(true);
          expect(Array.from(whole).slice(0, Array.from(part).length).join('')).toBe(part);
        });
      }),
    );
  });
});

describe('canonicalBlocks', () => {
  it('AV-8: a reply is stored with its thinking capped; one that says nothing is one empty text', () => {
    expect(canonicalBlocks([])).toEqual({ blocks: [{ type: 'text', text: '' }], truncated: false });
    expect(canonicalBlocks([thinking('abc', 's'), text], 2)).toEqual({
      blocks: [thinking('ab'), text],
      truncated: true,
    });
  });
});

describe('badgeOf', () => {
  it.each([
    ['none', 'Hidden by provider'],
    ['summary', 'Summary only'],
    ['redacted', 'Redacted'],
    ['partial', 'Partial'],
    ['full', null],
  ] as const)('AV-7: %s has the badge %s', (availability, badge) => {
    expect(badgeOf({ availability, truncated: false })).toBe(badge);
  });

  it('AV-7: what was cut is Partial; no reasoning, no badge', () => {
    expect(badgeOf({ availability: 'summary', truncated: true })).toBe('Partial');
    expect(badgeOf(null)).toBeNull();
  });
});
