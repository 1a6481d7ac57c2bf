import { describe, expect, it } from 'vitest';
import { en } from '../i18n/en.ts';
import { createTranslator } from '../i18n/index.ts';
import { labelOf } from './merge.ts';

const t = createTranslator('en', en);
type Block = Parameters<typeof labelOf>[0]['contentBlocks'][number];
const call = (name: string, parameters: Readonly<Record<string, unknown>>): Block => ({
  type: 'tool-use',
  id: name,
  name,
  parameters,
});
const labelled = (content: string, ...contentBlocks: readonly Block[]): string =>
  labelOf({ role: 'assistant', content, contentBlocks: [...contentBlocks] }, t);

describe('the label of a message', () => {
  it('WEB-89: without words it is what the message calls', () => {
    const search = call('search', { words: 'roots and branches', most: 3 });
    expect(labelled('', search)).toBe('search roots and branches, 3');
    expect(labelled('', search, call('read', { path: 'a.md' }))).toBe('search, read');
    expect(labelled('', call('write', { text: 'x'.repeat(500) }))).toBe(`write ${'x'.repeat(54)}…`);
    expect(labelled('Let me look.', search)).toBe('Let me look.');
    expect(labelled('', { type: 'thinking', thinking: 'Hm.' })).toBe('');
  });
});
