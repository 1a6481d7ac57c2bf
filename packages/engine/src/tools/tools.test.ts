import { projectId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { approvalFor } from './approval.ts';
import { createArgumentCheck } from './arguments.ts';
import { wireName } from './mcp/names.ts';
import { textOfResult } from './mcp/result.ts';
import { DEFAULT_TOOL_LIMITS, runTool } from './run-tool.ts';
import type { Tool, ToolContext } from './tool.ts';

const context: ToolContext = {
  projectId: projectId('p'),
  store: { search: async () => [], getNodes: async () => [], path: async () => [], listBranches: async () => [] },
  now: () => new Date(),
  signal: new AbortController().signal,
};
const tool = (run: Tool['run']): Tool => ({
  source: 'built-in',
  definition: {
    name: 'echo',
    description: '',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  run,
});
const check = createArgumentCheck();
const call = (parameters: Record<string, unknown>) => ({ id: 'c', name: 'echo', parameters });

describe('runTool', () => {
  it('TL-3: wrong arguments are told to the model, and the tool does not run', async () => {
    let ran = false;
    const outcome = await runTool(
      tool(async () => {
        ran = true;
        return '';
      }),
      call({ text: 5 }),
      context,
      check,
      DEFAULT_TOOL_LIMITS,
    );
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining('text') });
    expect(ran).toBe(false);
  });

  it('TL-4: a failure, a timeout, an interruption and an unknown tool are error results', async () => {
    const failed = await runTool(
      tool(async () => {
        throw new Error('no luck');
      }),
      call({ text: '' }),
      context,
      check,
      DEFAULT_TOOL_LIMITS,
    );
    expect(failed).toMatchObject({ isError: true, content: 'no luck', callId: 'c' });
    const never = tool(() => new Promise(() => undefined));
    expect(
      await runTool(never, call({ text: '' }), context, check, { ...DEFAULT_TOOL_LIMITS, timeoutMs: 5 }),
    ).toMatchObject({ isError: true, content: expect.stringContaining('did not finish') });
    const stop = new AbortController();
    const interrupted = runTool(
      never,
      call({ text: '' }),
      { ...context, signal: stop.signal },
      check,
      DEFAULT_TOOL_LIMITS,
    );
    stop.abort();
    expect(await interrupted).toMatchObject({ isError: true, content: expect.stringContaining('stopped') });
    expect(await runTool(undefined, call({}), context, check, DEFAULT_TOOL_LIMITS)).toMatchObject({ isError: true });
  });

  it('TL-5: long results are cut and say so; empty ones are not empty', async () => {
    const long = await runTool(
      tool(async () => 'x'.repeat(200)),
      call({ text: '' }),
      context,
      check,
      { timeoutMs: 1000, resultCharacters: 50 },
    );
    expect(long.content).toMatch(/^x{50}\n\[The result was cut: it has 200 characters\.\]$/);
    expect(
      (
        await runTool(
          tool(async () => ''),
          call({ text: '' }),
          context,
          check,
          DEFAULT_TOOL_LIMITS,
        )
      ).content,
    ).not.toBe('');
  });

  it('TL-3: a schema that cannot be read does not make its tool useless', () => {
    expect(check({ name: 'x', description: '', inputSchema: { type: 'nonsense' } }, {})).toBeNull();
  });
});

describe('approvalFor', () => {
  const rules = { 'files.*': 'ask', 'files.read': 'auto', 'files.danger.*': 'never' } as const;

  it.each([
    [['files__read', 'files.read'], false, 'auto'],
    [['files__write', 'files.write'], false, 'ask'],
    [['files__x', 'files.danger.x'], false, 'never'],
    [['calculator'], true, 'auto'],
    [['other__tool', 'other.tool'], false, 'ask'],
    [['toString'], false, 'ask'],
  ] as const)('TL-6: %j (built-in: %s) is %s', (names, builtIn, expected) => {
    expect(approvalFor(names, builtIn, rules)).toBe(expected);
  });
});

describe('MCP', () => {
  it('TL-7: names fit every provider and stay apart', () => {
    expect(wireName('files', 'read')).toBe('files__read');
    const names = [
      wireName('a', 'b.c'),
      wireName('a', 'b c'),
      wireName('a', 'b_c'),
      wireName('a', 'x'.repeat(100)),
      wireName('a', `${'x'.repeat(100)}y`),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('TL-4: a result that is an error throws its text; what is not text is named', () => {
    expect(
      textOfResult({
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: 'x' },
        ],
      }),
    ).toContain('[image content');
    expect(() => textOfResult({ isError: true, content: [{ type: 'text', text: 'bad' }] })).toThrow('bad');
    expect(textOfResult({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
  });

  it('TL-8: reading a node asks for it within the project alone', async () => {
    const { BUILT_IN_TOOLS } = await import('./builtin/index.ts');
    const read = BUILT_IN_TOOLS.find(({ definition }) => definition.name === 'read_node');
    const asked: string[] = [];
    const store = {
      ...context.store,
      getNodes: async (project: string) => {
        asked.push(project);
        return [];
      },
    };
    await expect(read?.run({ id: 'n' }, { ...context, store })).rejects.toThrow(/in this project/);
    expect(asked).toEqual(['p']);
  });
});
