import { expect, it } from 'vitest';
import { priceOf, toolChangeIn } from './instructions.ts';

const tool = (name: string) => ({ name, description: '', inputSchema: {} });

it('WEB-44: a change of tools names those that come and those that go', () => {
  const change = { type: 'tool-change', before: [tool('a'), tool('b')], after: [tool('b'), tool('c')] };
  expect(toolChangeIn({ contentBlocks: [change] })).toEqual({ added: ['c'], removed: ['a'] });
  expect(toolChangeIn({ contentBlocks: [{ type: 'text', text: 'x' }] })).toBeNull();
  expect(toolChangeIn({ contentBlocks: [{ type: 'tool-change', before: 1 }] })).toEqual({ added: [], removed: [] });
});

it('WEB-44: the price of instructions is what is lost and what is read anew', () => {
  const line = { nodeId: 'n', role: 'assistant', fidelity: 'canonical', estimatedTokens: 1, excerpt: '' } as const;
  const report = [
    { ...line, reasons: ['thinking_prefix_changed'] },
    { ...line, reasons: [] },
  ];
  expect(priceOf({ report, estimatedTokens: 42 })).toEqual({ lost: 1, tokens: 42 });
});
