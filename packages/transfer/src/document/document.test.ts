import type { AttachedBlock, ImageBlock, StoredFile } from '@bough/core';
import { blobHash, branchId, nodeId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import type { DocumentGroup } from './content.ts';
import { REASONINGS } from './content.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';
import { picturesOf } from './pictures.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"';
const group: DocumentGroup = {
  user: { content: HOSTILE },
  reply: [{ role: 'assistant', content: HOSTILE, modelUsed: HOSTILE }],
  segments: [
    {
      kind: 'reply',
      items: [
        { type: 'think', text: HOSTILE, redacted: false },
        {
          type: 'tool',
          name: HOSTILE,
          parameters: { code: HOSTILE },
          result: { content: `${HOSTILE}\n\`\`\`\`\nout`, isError: false },
        },
        { type: 'text', text: HOSTILE, isError: false },
      ],
    },
  ],
};

describe('documents', () => {
  it.each([
    ['markdown', markdownOf],
    ['html', htmlOf],
  ])('EX-5: %s holds reasoning included, folded or not at all', (_, documentOf) => {
    const items = [{ type: 'think', text: 'Let me see.', redacted: false } as const];
    const thinking: DocumentGroup = { ...group, segments: [{ kind: 'reasoning', items }] };
    const written = REASONINGS.map((reasoning) => documentOf({ title: 'T', groups: [thinking], reasoning }));
    expect(written.map((text) => text.includes('Let me see.'))).toEqual([true, true, false]);
    expect(written.map((text) => text.includes('<summary>Reasoning</summary>'))).toEqual([false, true, false]);
  });

  it.each([
    ['markdown', markdownOf],
    ['html', htmlOf],
  ])('EX-10: %s holds instructions where they were given', (_, documentOf) => {
    const told = (content: string) => ({ role: 'system', content, modelUsed: null }) as const;
    const answer = { role: 'assistant', content: 'An answer.', modelUsed: 'm' } as const;
    const segments = [{ kind: 'reply', items: [{ type: 'text', text: 'An answer.', isError: false }] }] as const;
    const groups: DocumentGroup[] = [
      { user: { content: 'A question.' }, reply: [told('Be kind.'), answer, told('Be brief.'), told('')], segments },
    ];
    const text = documentOf({ title: 'T', groups, reasoning: 'none' });
    const places = ['A question.', 'Be kind.', 'An answer.', 'Be brief.'].map((words) => text.indexOf(words));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(text.split('System').length - 1).toBe(2);
  });

  it.each([
    ['markdown', markdownOf],
    ['html', htmlOf],
  ])('EX-12: %s holds versions of the canvas and what was brought, and not as words of a person', (_, documentOf) => {
    const canvas = { type: 'canvas', text: 'Oaks grow.', by: 'person', inContext: true } as const;
    const ids = { branchId: branchId('b'), after: null, upTo: nodeId('n'), nodeIds: [nodeId('n')] };
    const merge = { type: 'merge', branchName: 'idea', by: 'answer', ...ids } as const;
    const text = (words: string) => ({ type: 'text', text: words }) as const;
    const groups: DocumentGroup[] = [
      { user: { content: 'A question.' }, reply: [], segments: [] },
      { user: { content: '', contentBlocks: [{ ...canvas, inContext: false }] }, reply: [], segments: [] },
      { user: { content: 'For a model.', contentBlocks: [canvas, text('For a model.')] }, reply: [], segments: [] },
      { user: { content: 'Elms.', contentBlocks: [merge, text('Elms.')] }, reply: [], segments: [] },
    ];
    const written = documentOf({ title: 'T', groups, reasoning: 'none' });
    expect(written.split('You').length - 1).toBe(1);
    expect(written.split('The canvas was changed').length - 1).toBe(2);
    expect(written.split('Oaks grow.').length - 1).toBe(2);
    expect(written).not.toContain('For a model.');
    expect(written).toContain('Brought from the branch “idea”');
  });

  it('EX-6: no word of a model becomes markup of a page', () => {
    const html = htmlOf({ title: HOSTILE, groups: [group], reasoning: 'folded' });
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain("default-src 'none'");
  });

  it('EX-6: what a tool answered cannot end its fence', () => {
    const markdown = markdownOf({ title: 'T', groups: [group], reasoning: 'none' });
    expect(markdown).toContain('`````\n<script>');
    expect(markdown).toContain('out\n`````\n');
  });

  it('EX-41: a page holds its pictures, and names other files and what is too large', async () => {
    const bytes = Buffer.from('the bytes of a picture');
    const read = async ({ hash }: StoredFile) => (hash === GONE ? undefined : pieces(bytes));
    const groups = [attached(PICTURE, PAPER), drawing(DRAWN)];
    const page = htmlOf({ title: 'T', groups, reasoning: 'none', addressOf: await picturesOf(groups, read) });
    const address = `data:image/png;base64,${bytes.toString('base64')}`;
    expect(page.split(`<img src="${address}"`)).toHaveLength(3);
    expect(page).toContain('alt="A &quot;tree&quot; &lt;b&gt;.png" width="80" height="60"');
    expect(page).toContain('img-src data:');
    expect(page).toContain('paper.pdf <span class="facts">(application/pdf, 3 pages, 1.5 MB)</span>');
    expect(page).not.toContain('<b>');
    const small = await picturesOf(groups, read, 1_000);
    expect(htmlOf({ title: 'T', groups, reasoning: 'none', addressOf: small })).not.toContain('<img');
    const missing = [attached({ ...PICTURE, file: { ...PICTURE.file, hash: GONE } })];
    expect(
      htmlOf({ title: 'T', groups: missing, reasoning: 'none', addressOf: await picturesOf(missing, read) }),
    ).toContain('(image/png, 80 × 60, 2 kB)');
  });

  it('EX-41: only what fitting makes is shown in place, whatever a block says', async () => {
    const drawing = { ...PICTURE, file: { ...PICTURE.file, mediaType: 'image/svg+xml' } };
    const addressOf = await picturesOf([attached(drawing)], async () => pieces(Buffer.from('<svg/>')));
    expect(htmlOf({ title: 'T', groups: [attached(drawing)], reasoning: 'none', addressOf })).not.toContain('<img');
  });

  it('EX-43: what a reply holds stands in its place; what was drawn in thought goes with the reasoning', () => {
    const groups = [drawing(DRAWN, { ...DRAWN, name: 'draft.png', inThought: true })];
    for (const documentOf of [htmlOf, markdownOf]) {
      const text = documentOf({ title: 'T', groups, reasoning: 'none' });
      const places = ['Before.', DRAWN.name, 'After.'].map((words) => text.indexOf(words));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places[0]).toBeGreaterThan(0);
      expect(text).not.toContain('draft.png');
      expect(documentOf({ title: 'T', groups, reasoning: 'included' })).toContain('draft.png');
    }
  });

  it('EX-42: Markdown names files, and leads to those that are beside it', () => {
    const groups = [attached(PICTURE, PAPER)];
    const named = markdownOf({ title: 'T', groups, reasoning: 'none' });
    expect(named).toContain('Attached: A "tree" \\<b\\>.png (image/png, 80 × 60, 2 kB)');
    const addressOf = ({ hash }: StoredFile): string => `../files/${hash}`;
    const linked = markdownOf({ title: 'T', groups, reasoning: 'none', addressOf });
    expect(linked).toContain(`Attached: ![A "tree" \\<b\\>.png](../files/${PICTURE.file.hash}) (image/png`);
    expect(linked).toContain(`Attached: [paper.pdf](../files/${PAPER.file.hash})`);
  });
});

/** A reply with files between its words. */
function drawing(...files: readonly ImageBlock[]): DocumentGroup {
  const say = (text: string) => ({ type: 'text', text, isError: false }) as const;
  const items = [say('Before.'), ...files.map((file) => ({ type: 'file', file }) as const), say('After.')];
  return { user: null, reply: [{ ...REPLY, contentBlocks: files }], segments: [{ kind: 'reply', items }] };
}

const GONE = blobHash('0'.repeat(64));
const REPLY = { role: 'assistant', content: '', modelUsed: 'm' } as const;
const PICTURE = {
  type: 'image',
  name: 'A "tree" <b>.png',
  file: { hash: blobHash('a'.repeat(64)), mediaType: 'image/png', size: 2_000 },
  width: 80,
  height: 60,
} as const;
const DRAWN = { ...PICTURE, name: 'drawn.png' } as const;
const PAPER = {
  type: 'document',
  name: 'paper.pdf',
  file: { hash: blobHash('b'.repeat(64)), mediaType: 'application/pdf', size: 1_500_000 },
  pages: 3,
} as const;

function attached(...contentBlocks: readonly AttachedBlock[]): DocumentGroup {
  return { ...group, user: { content: 'Look', contentBlocks }, segments: [] };
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
