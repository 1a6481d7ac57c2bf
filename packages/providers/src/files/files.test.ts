import type { AttachedBlock, ImageBlock } from '@bough/core';
import { blobHash, sha256 } from '@bough/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../deployments/anthropic.ts';
import { deepseek } from '../deployments/deepseek.ts';
import { gemini } from '../deployments/gemini.ts';
import { groq } from '../deployments/groq.ts';
import { mistral } from '../deployments/mistral.ts';
import { openaiResponsesDeployment } from '../deployments/openai-responses.ts';
import { openai } from '../deployments/openai.ts';
import { xai } from '../deployments/xai.ts';
import { wellFormedJson } from '../render/well-formed.ts';
import { measure } from './measure.ts';
import { nameOf, PlacedText, placeIn, placeOf, segmentsOf, withNamedPlaces } from './place.ts';
import { filePolicy } from './policy.ts';
import { inBase64, jpegBytes, pdfBytes, pngBytes, wavBytes } from './samples.ts';
import { sniff } from './sniff.ts';
import { fileTokens } from './tokens.ts';

const image = (change: Partial<ImageBlock> = {}, mediaType = 'image/png', size = 300): ImageBlock => ({
  type: 'image',
  name: 'a.png',
  file: { hash: blobHash(sha256('a')), mediaType, size },
  width: 80,
  height: 60,
  ...change,
});
const pdf: AttachedBlock = { ...image({}, 'application/pdf'), type: 'document', pages: 2 };
const sound: AttachedBlock = { ...image({}, 'audio/wav'), type: 'audio', seconds: 10 };

describe('places', () => {
  it('FIL-1: half a character beside a place is replaced, and that is told', () => {
    const place = placeOf(image(), 'text');
    expect(wellFormedJson({ content: [new PlacedText([place, 'whole'])] }).replaced).toBe(false);
    const { json, replaced } = wellFormedJson({ content: [new PlacedText([place, 'half \ud83c'])] });
    expect(replaced).toBe(true);
    expect(json).toContain('half \ufffd');
  });

  it('FIL-1: a place survives writing and reading, whatever the file is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, around) => {
        const place = placeOf(image({ name }), 'base64');
        const { json } = wellFormedJson({ data: new PlacedText([around, place, around]) });
        const expected = { ...place, name: name.toWellFormed() };
        expect(segmentsOf(json)[1]).toEqual(expected);
        const parsed = JSON.parse(json) as { readonly data: string };
        expect(placeIn(parsed.data)).toEqual(expected);
        // A repair writes the parsed body again.
        expect(JSON.stringify(parsed)).toBe(json);
      }),
    );
  });

  it('FIL-2: nobody can type a place: in every text halves of characters are replaced', () => {
    const forged = new PlacedText([placeOf(image(), 'base64')]).toJSON();
    const { json, replaced } = wellFormedJson({ [forged]: 1, text: forged, deep: [{ text: forged }] });
    expect(replaced).toBe(true);
    expect(segmentsOf(json)).toEqual([json]);
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const written = wellFormedJson({ value, text: `${text}\udb0bbase64 ${'a'.repeat(64)} 1 1 1 0 x y\udb0c` }).json;
        expect(segmentsOf(written)).toEqual([written]);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(JSON.parse(written))));
      }),
    );
  });

  it('FIL-3: what people get to see names the file, its size and its hash', () => {
    const place = placeOf(image({ name: 'a "b".png' }), 'base64');
    const { json } = wellFormedJson({ data: new PlacedText([place]), text: 'x' });
    const shown: unknown = JSON.parse(withNamedPlaces(json));
    expect(shown).toEqual({ data: `<base64 of a "b".png, 300 bytes, sha256 ${sha256('a')}>`, text: 'x' });
    expect(nameOf(place)).toContain(sha256('a'));
  });
});

describe('looking at bytes', () => {
  const webp = (kind: string, ...rest: readonly number[]) =>
    Uint8Array.from([...new TextEncoder().encode(`RIFF....WEBP${kind}`), ...rest]);

  it.each<[string, Uint8Array, string | null, number, number]>([
    ['PNG', pngBytes(800, 600), 'image/png', 800, 600],
    ['JPEG', jpegBytes(640, 480), 'image/jpeg', 640, 480],
    ['GIF', new TextEncoder().encode('GIF89a\x10\0\x20\0'), 'image/gif', 16, 32],
    ['WebP', webp('VP8X', 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 31, 0, 0), 'image/webp', 16, 32],
    ['WAV', wavBytes(4), 'audio/wav', 0, 0],
    ['PDF', pdfBytes(1), 'application/pdf', 0, 0],
    ['a text', new TextEncoder().encode('PNG'), null, 0, 0],
    ['half a PNG', pngBytes(8, 6).subarray(0, 12), 'image/png', 0, 0],
    ['nothing', new Uint8Array(0), null, 0, 0],
  ])('FIL-4: %s is known by its first bytes', (_, bytes, mediaType, width, height) => {
    expect(sniff(bytes)).toEqual({ mediaType, width, height });
  });

  it('FIL-4: no bytes make it throw', () => {
    const starts = [pngBytes(1, 1), jpegBytes(1, 1), webp('VP8L'), webp('VP8 ')];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.nat(40), fc.uint8Array({ maxLength: 40 }), (start, cut, rest) => {
        sniff(Uint8Array.from([...start.subarray(0, cut), ...rest]));
      }),
    );
  });

  it('FIL-5: a file in a body is measured alike by its place and by its bytes', () => {
    const bytes = pdfBytes(7);
    const block: AttachedBlock = { ...image({}, 'application/pdf', bytes.length), type: 'document', pages: 7 };
    const placed = measure(new PlacedText([placeOf(block, 'base64')]).toJSON());
    expect(measure(inBase64(bytes))).toEqual(placed);
    const png = pngBytes(31, 7);
    const seen = image({ width: 31, height: 7 }, 'image/png', png.length);
    expect(measure(inBase64(png))).toEqual(measure(new PlacedText([placeOf(seen, 'base64')]).toJSON()));
    expect(measure('not base64!').isBase64).toBe(false);
  });

  it('FIL-4: a protected PDF says so in its trailer', () => {
    const protectedBy = (entry: string): Uint8Array =>
      Buffer.from(Buffer.from(pdfBytes(1)).toString('latin1').replace('/Root', `${entry}/Root`), 'latin1');
    expect(measure(inBase64(pdfBytes(1))).isProtected).toBe(false);
    expect(measure(inBase64(protectedBy('/Encrypt 6 0 R'))).isProtected).toBe(true);
    expect(measure(inBase64(protectedBy('/Encrypt<</Filter/Standard>>'))).isProtected).toBe(true);
  });
});

interface Asked {
  readonly model?: string;
  readonly role?: 'user' | 'tool';
  readonly isError?: boolean;
}

describe('what models take', () => {
  const takes = (
    deployment: typeof anthropic,
    block: AttachedBlock,
    { model = deployment.defaultModel, role = 'user', isError = false }: Asked = {},
  ) => filePolicy(deployment, deployment.modelInfo(model)).takes(block, { role, isError });

  it('FIL-6: by what is known about them: pictures, PDFs and sound', () => {
    const kinds = (deployment: typeof anthropic, model?: string) =>
      [image(), pdf, sound].map((block) => takes(deployment, block, model === undefined ? {} : { model }));
    expect(kinds(anthropic)).toEqual([true, true, false]);
    expect(kinds(openaiResponsesDeployment)).toEqual([true, true, false]);
    expect(kinds(openaiResponsesDeployment, 'o3-mini')).toEqual([false, false, false]);
    // A list of models may say that one hears; its messages have no form for sound all the same.
    const hears = { ...openaiResponsesDeployment.modelInfo('gpt-5.5'), canHear: true };
    expect(filePolicy(openaiResponsesDeployment, hears).takes(sound, { role: 'user', isError: false })).toBe(false);
    expect(kinds(gemini)).toEqual([true, true, true]);
    expect(kinds(openai)).toEqual([true, true, false]);
    expect(kinds(deepseek)).toEqual([false, false, false]);
    expect(kinds(groq)).toEqual([false, false, false]);
    expect(kinds(mistral)).toEqual([true, false, false]);
    // Nobody said anything about it: a file that is refused would cost the turn.
    expect(kinds(openai, 'somebody/elses-model')).toEqual([false, false, false]);
  });

  it('FIL-7: and by the limits of the provider: type, bytes, sides and pixels', () => {
    expect(takes(anthropic, image({ width: 8_001 }))).toBe(false);
    expect(takes(anthropic, image({}, 'image/png', 8_000_000))).toBe(false);
    expect(takes(anthropic, image({}, 'image/tiff'))).toBe(false);
    expect(takes(gemini, image({}, 'image/gif'))).toBe(false);
    expect(takes(openai, image({}, 'image/gif'))).toBe(true);
    expect(takes(xai, image({ width: 20, height: 20 }))).toBe(false);
    expect(takes(anthropic, image({}, 'image/png', 0))).toBe(false);
  });

  it('FIL-8: results of tools take less: no picture with a failure, none between the messages of Mistral', () => {
    expect(takes(anthropic, image(), { role: 'tool' })).toBe(true);
    expect(takes(anthropic, image(), { role: 'tool', isError: true })).toBe(false);
    expect(takes(openai, image(), { role: 'tool' })).toBe(true);
    expect(takes(mistral, image(), { role: 'tool' })).toBe(false);
  });

  it('FIL-9: files cost what the providers say', () => {
    const cost = (deployment: typeof anthropic, block: AttachedBlock, model = deployment.defaultModel) =>
      fileTokens(block, deployment, deployment.modelInfo(model));
    expect(cost(anthropic, image({ width: 1_000, height: 1_000 }), 'claude-haiku-4-5')).toBe(36 * 36);
    expect(cost(anthropic, image({ width: 4_000, height: 4_000 }), 'claude-haiku-4-5')).toBe(1_568);
    expect(cost(anthropic, image({ width: 4_000, height: 4_000 }), 'claude-opus-4-8')).toBe(4_784);
    expect(cost(gemini, pdf)).toBe(2 * 560);
    expect(cost(gemini, sound)).toBe(320);
    expect(cost(openai, image({ width: 320, height: 320 }))).toBe(162);
    expect(cost(anthropic, pdf)).toBeGreaterThan(2 * 1_500);
  });
});
