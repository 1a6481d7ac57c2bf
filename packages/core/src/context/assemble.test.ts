import { anyPath, sketch } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { isKnownBlock, isReasoningBlock, isToolUseBlock } from '../blocks/index.ts';
import { BoughError } from '../errors/index.ts';
import { assembleContext, buildChatContext, CONTEXT_RULES } from './assemble.ts';
import type { AssemblyOptions } from './assembly.ts';
import { assemble, CLAUDE } from './testing.ts';

const anyOptions: fc.Arbitrary<AssemblyOptions> = fc.record({
  lock: fc.constantFrom({ provider: 'claude', model: 'opus' }, { provider: 'gpt', model: 'five' }),
  systemPrompt: fc.constantFrom(null, 'Be kind.'),
  tools: fc.constant([]),
  hasRaw: fc.constantFrom(
    () => true,
    () => false,
  ),
  limits: fc.constantFrom(null, { contextWindow: 400, maxOutputTokens: 50 }),
  reserveTokens: fc.constant(20),
  bindsThinkingToPrefix: fc.boolean(),
  replaysThinking: fc.boolean(),
  replayBy: fc.constantFrom('issuer', 'break'),
  systemInPlace: fc.boolean(),
  toolChanges: fc.boolean(),
  keepToolsAfterBreak: fc.boolean(),
});

/** Runs the assembly; a newest turn that is too long is a valid outcome too. */
function tryAssemble(...[path, options]: Parameters<typeof assembleContext>) {
  try {
    return assembleContext(path, options);
  } catch (error) {
    if (error instanceof BoughError && error.code === 'context_too_long') return null;
    throw error;
  }
}

describe('assembleContext', () => {
  it('CX-34: every node of the path has exactly one line in the report, in order', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        const context = tryAssemble(path, options);
        if (context === null) return;
        expect(context.report.map((line) => line.nodeId)).toEqual(path.map((node) => node.id));
        const sent = new Set(context.items.flatMap((item) => item.nodeIds));
        for (const line of context.report) {
          if (line.fidelity === 'dropped') expect(sent.has(line.nodeId)).toBe(false);
          if (line.fidelity !== 'verbatim') expect(line.reasons.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('CX-35: nothing is lost silently: a node that is not sent is dropped, lifted or told as text, with a reason', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        const context = tryAssemble(path, options);
        if (context === null) return;
        const sent = new Set(context.items.flatMap((item) => item.nodeIds));
        for (const line of context.report) {
          if (!sent.has(line.nodeId))
            expect(line.fidelity === 'dropped' || line.reasons.includes('tool_use_as_text')).toBe(true);
        }
      }),
    );
  });

  it('CX-36: items keep the order of the path, and unknown blocks keep their place and content', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        const context = tryAssemble(path, options);
        if (context === null) return;
        const places = context.items.flatMap((item) =>
          item.nodeIds.map((id) => path.findIndex((node) => node.id === id)),
        );
        // Results are put into the order of their calls; everything else stays in path order.
        const withoutResults = context.items
          .filter((item) => item.message.role !== 'tool')
          .flatMap((item) => item.nodeIds.map((id) => path.findIndex((node) => node.id === id)));
        expect(withoutResults).toEqual([...withoutResults].sort((a, b) => a - b));
        expect(places).not.toContain(-1);
        const custom = (blocks: readonly ContentBlock[]) => blocks.filter((block) => !isKnownBlock(block));
        for (const { nodeId, fidelity } of context.report) {
          const node = path.find(({ id }) => id === nodeId);
          // Only the complete parts of an interrupted reply are sent.
          if (node === undefined || fidelity === 'dropped' || node.interrupted) continue;
          const sent = context.items
            .filter((item) => item.nodeIds.includes(nodeId))
            .flatMap(({ message }) => message.content);
          expect(custom(sent)).toEqual(expect.arrayContaining(custom(node.contentBlocks)));
        }
      }),
    );
  });

  it('CX-37: every call that is sent is answered exactly once, right behind it, and no result stands alone', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        const context = tryAssemble(path, options);
        if (context === null) return;
        let open: string[] = [];
        for (const { message, answeredCalls } of context.items) {
          if (message.role === 'tool') {
            expect(open.shift()).toBe(message.tool_call_id);
            continue;
          }
          expect(open).toEqual([]);
          open = [...answeredCalls];
          const blocks: readonly ContentBlock[] = message.content;
          const calls = blocks.filter(isToolUseBlock).map((call) => call.id);
          expect(new Set(answeredCalls)).toEqual(new Set(calls));
        }
        expect(open).toEqual([]);
      }),
    );
  });

  it('CX-38: canonical items never carry reasoning blocks', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        for (const item of tryAssemble(path, options)?.items ?? []) {
          if (item.source === 'canonical') expect(item.message.content.some(isReasoningBlock)).toBe(false);
        }
      }),
    );
  });

  it('CX-27: trimming never splits a turn', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const context = tryAssemble(path, { ...CLAUDE, limits: { contextWindow: 300, maxOutputTokens: 10 } });
        if (context === null) return;
        const trimmed = context.report.findLastIndex((line) => line.reasons.includes('trimmed'));
        const next = context.report
          .slice(trimmed + 1)
          .find((line) => line.fidelity !== 'dropped' || line.reasons.includes('empty'));
        if (trimmed < 0 || next === undefined) return;
        expect(path.find((node) => node.id === next.nodeId)?.role).toBe('user');
      }),
    );
  });

  it('CX-39: the same path and options give the same context', () => {
    fc.assert(
      fc.property(anyPath, anyOptions, (path, options) => {
        expect(tryAssemble(path, options)).toEqual(tryAssemble(path, options));
      }),
    );
  });

  it('CX-40: reports the break and an estimate that includes system prompt and tools', () => {
    const path = 'u1 user: a\na1 assistant gpt/five: b\nu2 user: c';
    const bare = assemble(path);
    expect(bare.breakNodeId).toBe('a1');
    const tools = [{ name: 'search', description: 'Finds things.', inputSchema: {} }];
    expect(assemble(path, { systemPrompt: 'Be kind.', tools }).estimatedTokens).toBeGreaterThan(
      bare.estimatedTokens + 8,
    );
  });

  it('CX-41: the policy is an ordered list of named rules', () => {
    expect(CONTEXT_RULES.map((rule) => rule.name)).toEqual([
      'lift-system-messages',
      'exclude-error-replies',
      'keep-valid-part',
      'pair-tool-calls',
      'results-left-out',
      'files-as-text',
      'trim-to-window',
      'tools-as-text',
      'bind-thinking-to-prefix',
      'thinking-on-request',
      'drop-empty',
      'coalesce-text',
    ]);
  });
});

describe('buildChatContext', () => {
  it('CX-42: gives the messages alone, with texts and paired tools', () => {
    const path = sketch(
      'u1 user: a\na1 assistant claude/opus: [think! hm] [call c1 search]\nt1 tool c1: found\na2 assistant claude/opus: b',
    );
    expect(buildChatContext(path, { lock: CLAUDE.lock })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'c1', name: 'search', parameters: {} }] },
      { role: 'tool', content: [{ type: 'text', text: 'found' }], tool_call_id: 'c1' },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    ]);
  });
});
