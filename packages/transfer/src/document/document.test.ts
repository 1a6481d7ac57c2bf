import { describe, expect, it } from 'vitest';
import type { DocumentGroup } from './content.ts';
import { REASONINGS } from './content.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';

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
});
