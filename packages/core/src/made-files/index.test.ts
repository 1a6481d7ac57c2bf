import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { emptied } from './index.ts';

const DATA = 'iVBORw0KGgoAAAA=';

describe('files inside of a reply', () => {
  it("FI-40: OpenAI's picture leaves its block, with the prompt as its text", () => {
    const about = { type: 'image_generation_call', id: 'ig_1', status: 'completed', revised_prompt: 'A fox' };
    expect(emptied({ ...about, output_format: 'jpeg', result: DATA })).toEqual({
      bare: { ...about, output_format: 'jpeg' },
      files: [{ name: 'picture.jpg', data: DATA, alt: 'A fox' }],
    });
  });

  it('FI-40: pictures of code leave it; what is only linked to stays', () => {
    const logs = { type: 'logs', logs: '1' };
    const link = { type: 'image', url: 'https://files.example/plot.png' };
    const block = { type: 'code_interpreter_call', id: 'ci', code: 'plot()' };
    const outputs = [logs, { type: 'image', url: `data:image/png;base64,${DATA}` }, link];
    expect(emptied({ ...block, outputs })).toEqual({
      bare: { ...block, outputs: [logs, { type: 'image' }, link] },
      files: [{ name: 'picture.png', data: DATA }],
    });
  });

  it('FI-40: so do those of chat servers and of Gemini, and sound', () => {
    const url = `data:image/webp;charset=x;base64,${DATA}`;
    expect(emptied({ type: 'images', images: [{ type: 'image_url', index: 0, image_url: { url } }] })).toEqual({
      bare: { type: 'images', images: [{ type: 'image_url', index: 0, image_url: {} }] },
      files: [{ name: 'picture.webp', data: DATA }],
    });
    const inline = (mimeType: string, more: object = {}): ContentBlock => ({
      type: 'gemini:inlineData',
      part: { inlineData: { mimeType, data: DATA }, ...more },
    });
    expect(emptied(inline('image/png'))).toEqual({
      bare: { type: 'gemini:inlineData', part: { inlineData: { mimeType: 'image/png' } } },
      files: [{ name: 'picture.png', data: DATA }],
    });
    expect(emptied(inline('audio/mpeg'))?.files).toEqual([{ name: 'sound.mp3', data: DATA }]);
    expect(emptied(inline('image/png', { thought: true }))?.files).toEqual([
      { name: 'picture.png', data: DATA, inThought: true },
    ]);
  });

  it.each<ContentBlock>([
    { type: 'text', text: DATA },
    { type: 'image_generation_call', status: 'failed' },
    { type: 'image_generation_call', result: '<svg>' },
    { type: 'image_generation_call', result: 7 },
    { type: 'code_interpreter_call', outputs: 'none' },
    { type: 'code_interpreter_call', outputs: [null, { type: 'image', url: 'data:image/png,x' }] },
    { type: 'images', images: [{ image_url: 'data:image/png;base64,AAAA' }] },
    { type: 'gemini:inlineData', part: null },
    { type: 'gemini:inlineData', part: { inlineData: { mimeType: 'image/png' } } },
  ])('FI-41: %j brings no file', (block) => {
    expect(emptied(block)).toBeNull();
  });
});
