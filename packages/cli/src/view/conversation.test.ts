import type { MessageGroupView } from '@bough/api';
import { describe, expect, it } from 'vitest';
import { conversationText } from './conversation.ts';

const group: MessageGroupView = {
  turnId: null,
  isThinkingMode: false,
  status: 'complete',
  user: null,
  reply: [],
  calls: [],
  segments: [
    {
      kind: 'reply',
      items: [
        {
          type: 'provider',
          nodeId: null,
          use: {
            kind: 'web_search',
            name: null,
            queries: ['old oaks'],
            urls: [],
            code: null,
            sources: [{ url: 'https://a.example/', title: 'A' }],
            output: null,
            files: [],
            pictures: [],
            error: null,
            state: 'done',
          },
        },
        {
          type: 'text',
          nodeId: null,
          text: 'Oaks are old. Really.',
          isError: false,
          citations: [{ start: 0, end: 13, source: { url: 'https://a.example/', title: 'A' }, quoted: null }],
        },
      ],
    },
  ],
};

describe('a conversation in the terminal', () => {
  it('CLI-70: names what the provider did and keeps citations, with the sources below', () => {
    const text = conversationText([group], 'none', { isInteractive: false, env: {} });
    expect(text.trimEnd()).toBe(
      [
        'Assistant',
        '→ Searched the web: 1 query, 1 source',
        '  ? old oaks',
        '  - A <https://a.example/>',
        'Oaks are old.[1] Really.',
        '[1] A <https://a.example/>',
      ].join('\n'),
    );
  });
});
