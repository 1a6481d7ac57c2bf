import { describe, expect, it } from 'vitest';
import type { DocumentGroup } from './content.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"';
const group: DocumentGroup = {
  user: { content: HOSTILE },
  reply: [{ modelUsed: HOSTILE }],
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
