import type { AttachedBlock, Turn } from '@bough/core';
import { blobHash, nodeId, parseSearch, projectId, turnId } from '@bough/core';
import { pdfBytes, pngBytes, wavBytes } from '@bough/providers';
import type { SearchPage } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { sketch } from '@bough/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../environment.ts';
import { stageOn } from '../turn/testing.ts';
import { resultNodes } from '../turn/tool-step.ts';
import { approvalFor } from './approval.ts';
import { createArgumentCheck } from './arguments.ts';
import { wireName } from './mcp/names.ts';
import { keepFilesIn } from './files/index.ts';
import { answerOfResult } from './mcp/result.ts';
import { DEFAULT_TOOL_LIMITS, runTool } from './run-tool.ts';
import type { Tool, ToolContext } from './tool.ts';

const context: ToolContext = {
  projectId: projectId('p'),
  store: {
    search: async () => ({ hits: [], cursor: null, indexing: false }),
    getNodes: async () => [],
    path: async () => [],
    listBranches: async () => [],
  },
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

  it('TL-4: a result that is an error throws its text; what cannot be kept is named', async () => {
    const picture = { type: 'image', data: 'eA==', mimeType: 'image/png' };
    const named = await answerOfResult({ content: [{ type: 'text', text: 'a' }, picture] });
    expect(named).toEqual({ text: 'a\n[image content, which cannot be shown as text]', files: [] });
    const failed = answerOfResult({ isError: true, content: [{ type: 'text', text: 'bad' }, picture] });
    await expect(failed).rejects.toThrow('bad');
    expect((await answerOfResult({ content: [], structuredContent: { a: 1 } })).text).toBe('{"a":1}');
  });

  it('EN-140: pictures, sounds and resources of a result are kept as files, by what their bytes are', async () => {
    const kept: Uint8Array[] = [];
    const keepFile = keepFilesIn({
      put: async (source) => {
        for await (const piece of source) kept.push(piece);
        return { hash: blobHash('a'.repeat(64)), size: kept.at(-1)?.length ?? 0 };
      },
    });
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const resource = (uri: string, mimeType: string, bytes: Uint8Array) => ({
      type: 'resource',
      resource: { uri, mimeType, blob: base64(bytes) },
    });
    const { text, files } = await answerOfResult(
      {
        content: [
          { type: 'text', text: 'Here:' },
          // It says that it is a JPEG, and is none.
          { type: 'image', mimeType: 'image/jpeg', data: base64(pngBytes(8, 6)) },
          { type: 'audio', mimeType: 'audio/wav', data: base64(wavBytes(4)) },
          resource('file:///a/paper%201.pdf?x', 'application/pdf', pdfBytes(2)),
          resource('file:///table.csv', 'text/csv', new TextEncoder().encode('é,b')),
          resource('file:///a.bin', '', Uint8Array.from([0, 255])),
          { type: 'resource', resource: { uri: 'x', text: 'as before' } },
          { type: 'resource_link', uri: 'https://example.org/a', name: 'a' },
        ],
      },
      keepFile,
    );
    expect(text).toBe('Here:\nas before\n[resource: a, https://example.org/a]');
    expect(files).toMatchObject([
      { type: 'image', name: 'image-2', file: { mediaType: 'image/png' }, width: 8, height: 6 },
      { type: 'audio', name: 'audio-3', file: { mediaType: 'audio/wav', size: 48 } },
      { type: 'document', name: 'paper 1.pdf', pages: 2 },
      { type: 'file', name: 'table.csv', file: { mediaType: 'text/csv' }, text: { characters: 3 } },
      { type: 'file', name: 'a.bin', file: { mediaType: 'application/octet-stream', size: 2 } },
    ]);
    expect(files.at(-1)).not.toHaveProperty('text');
    expect(kept).toHaveLength(5);
  });

  it('EN-141: the result of a tool that brings files holds them, with or without a text', async () => {
    const picture: AttachedBlock = {
      type: 'image',
      name: 'a.png',
      file: { hash: blobHash('b'.repeat(64)), mediaType: 'image/png', size: 3 },
      width: 8,
      height: 6,
    };
    const tool = (text: string): Tool => ({
      source: 'x',
      definition: { name: 'draw', description: '', inputSchema: { type: 'object' } },
      run: () => Promise.resolve({ text, files: [picture] }),
    });
    const context = { now: () => new Date(0), signal: new AbortController().signal } as ToolContext;
    const call = { id: 'c', name: 'draw', parameters: {} };
    const run = (text: string) => runTool(tool(text), call, context, () => null, DEFAULT_TOOL_LIMITS);
    expect(await run('Done.')).toMatchObject({ content: 'Done.', files: [picture], isError: false });
    const env = { ids: { node: () => nodeId('n') }, now: () => new Date(0) } as Environment;
    const turn = { id: turnId('t'), projectId: projectId('p'), branchId: null } as Turn;
    const blocksOf = async (text: string) => resultNodes(env, turn, nodeId('a'), [await run(text)])[0]?.contentBlocks;
    expect(await blocksOf('Done.')).toEqual([{ type: 'text', text: 'Done.' }, picture]);
    expect(await blocksOf('')).toEqual([picture]);
  });

  it('TL-30: searching asks for it within the project alone, and tells where it was found and what is missing', async () => {
    const { BUILT_IN_TOOLS } = await import('./builtin/index.ts');
    const tool = BUILT_IN_TOOLS.find(({ definition }) => definition.name === 'search_project');
    const asked: unknown[] = [];
    const hit = {
      kind: 'node' as const,
      projectId: projectId('p'),
      nodeId: nodeId('n'),
      branchId: null,
      role: 'user' as const,
      model: null,
      createdAt: '',
      matches: [{ where: 'file' as const, file: 'a.txt', snippet: [{ text: 'of granite', hit: true }] }],
    };
    const searching = (found: Pick<SearchPage, 'hits' | 'cursor' | 'indexing'>) =>
      tool?.run(
        { text: 'granite role:user' },
        {
          ...context,
          store: {
            ...context.store,
            search: async (request) => {
              asked.push(request);
              return found;
            },
          },
        },
      );
    expect(await searching({ hits: [hit], cursor: null, indexing: false })).toBe('[n] user: (file a.txt) of granite');
    expect(asked).toMatchObject([{ projects: ['p'], query: { filters: { roles: ['user'] } } }]);
    expect(await searching({ hits: [], cursor: null, indexing: false })).toBe('Nothing was found.');
    expect(await searching({ hits: [], cursor: null, indexing: true })).toContain('still being indexed');
    expect(await searching({ hits: [hit], cursor: 'more', indexing: false })).toContain('There is more');
    await expect(tool?.run({ text: 'role:robot' }, context)).rejects.toThrow('There is no role "robot"');
  });

  it('TL-31: what people keep beside messages is neither found nor told, whatever is looked for', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bough-tools-'));
    const store = await openFilesStore({ directory });
    try {
      const { engine } = stageOn(store, '');
      const { project } = await engine.createProject({});
      const [question, answer] = sketch('u1 user: How tall is an oak?\na1 assistant sim/one: Forty metres.').map(
        (node) => ({ ...node, projectId: project.id }),
      );
      if (question === undefined || answer === undefined) throw new Error('There is nothing to annotate.');
      await store.appendNodes(project.id, [question, answer]);
      await engine.annotateNode(project.id, answer.id, {
        star: true,
        note: 'oak: doubtful, ask Pomona',
        addBookmark: 'Pomona heights',
        mark: 'bad',
        reason: 'Pomona says thirty',
      });
      const { BUILT_IN_TOOLS } = await import('./builtin/index.ts');
      const tool = BUILT_IN_TOOLS.find(({ definition }) => definition.name === 'search_project');
      const search = (text: string) => tool?.run({ text }, { ...context, projectId: project.id, store });
      expect(await search('oak')).toContain(`[${question.id}] user: How tall is an oak?`);
      expect(await search('oak')).not.toContain('Pomona');
      expect(await search('Pomona')).toBe('Nothing was found.');
      for (const filter of ['is:starred', 'is:bookmarked', 'is:judged', 'has:note', 'has:question'])
        await expect(search(`metres ${filter}`)).rejects.toThrow('Only what was said');
      expect((await store.search({ query: parseSearch('Pomona'), limit: 5 })).hits.length).toBe(1);
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
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
