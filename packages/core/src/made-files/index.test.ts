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

  it('FI-42: a PDF that Claude fetched leaves the result, named by its title or else by its address', () => {
    const result = (document: object, url = 'https://example.com/papers/elm.pdf?v=2#page=3'): ContentBlock => ({
      type: 'web_fetch_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'web_fetch_result', url, content: { type: 'document', ...document }, retrieved_at: 'now' },
    });
    const source = { type: 'base64', media_type: 'application/pdf' };
    const titled = { title: 'Elms and/or oaks', citations: { enabled: true } };
    expect(emptied(result({ source: { ...source, data: DATA }, ...titled }))).toEqual({
      bare: result({ source, ...titled }),
      files: [{ name: 'Elms and-or oaks.pdf', data: DATA }],
    });
    const named = (document: object, url?: string) =>
      emptied(result({ source: { ...source, data: DATA }, ...document }, url))?.files[0]?.name;
    expect(named({ title: null })).toBe('elm.pdf');
    expect(named({ title: 'Paper.PDF' })).toBe('Paper.PDF');
    expect(named({ title: 7 }, 'https://example.com/')).toBe('document.pdf');
    // A page of words stays in its place.
    expect(emptied(result({ source: { type: 'text', media_type: 'text/plain', data: DATA } }))).toBeNull();
  });

  it.each<ContentBlock>([
    { type: 'web_fetch_tool_result', content: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' } },
    { type: 'web_fetch_tool_result', content: { content: { type: 'document', source: { type: 'base64', data: 7 } } } },
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
