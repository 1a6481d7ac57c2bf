import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { placedUses, providerToolsOf } from './index.ts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const call = (name: string, input: unknown, id = 's1'): ContentBlock => ({ type: 'server_tool_use', id, name, input });
const result = (name: string, content: unknown, id = 's1'): ContentBlock => ({
  type: `${name}_tool_result`,
  tool_use_id: id,
  content,
});
const only = (...blocks: ContentBlock[]) => {
  const uses = providerToolsOf(blocks);
  expect(uses).toHaveLength(1);
  return uses[0];
};

describe('what Claude ran', () => {
  it('PV-1: a search has its query and its sources, and is running until its result is there', () => {
    const asked = call('web_search', { query: 'tallest tree' });
    expect(only(asked)).toMatchObject({ kind: 'web_search', queries: ['tallest tree'], state: 'running' });
    const found = result('web_search', [
      { type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: 'x' },
      { type: 'web_search_result', url: 'https://b.example/', title: null },
    ]);
    expect(only(asked, found)).toMatchObject({
      queries: ['tallest tree'],
      sources: [
        { url: 'https://a.example/', title: 'A' },
        { url: 'https://b.example/', title: null },
      ],
      state: 'done',
    });
  });

  it('PV-1: a page that was fetched has its address and its title', () => {
    const page = { type: 'web_fetch_result', url: 'https://a.example/x', content: { type: 'document', title: 'X' } };
    expect(only(call('web_fetch', { url: 'https://a.example/x' }), result('web_fetch', page))).toMatchObject({
      kind: 'web_fetch',
      urls: ['https://a.example/x'],
      sources: [{ url: 'https://a.example/x', title: 'X' }],
      state: 'done',
    });
  });

  it('PV-1: code has its output and the files that it made', () => {
    const ran = {
      type: 'bash_code_execution_result',
      stdout: 'two\n',
      stderr: 'careful',
      return_code: 0,
      content: [{ type: 'bash_code_execution_output', file_id: 'file_1' }],
    };
    const uses = only(call('bash_code_execution', { command: 'wc -l' }), result('bash_code_execution', ran));
    expect(uses).toMatchObject({ kind: 'code_execution', code: 'wc -l', output: 'two\n\ncareful', files: ['file_1'] });
  });

  it('PV-1: the editor says what it did to which file', () => {
    const input = { command: 'create', path: '/tmp/a.py', file_text: 'print(1)' };
    const made = { type: 'text_editor_code_execution_create_result', is_file_update: false };
    const uses = [call('text_editor_code_execution', input), result('text_editor_code_execution', made)];
    expect(only(...uses)).toMatchObject({ code: 'create /tmp/a.py\nprint(1)', files: ['/tmp/a.py'], state: 'done' });
  });

  it.each([
    ['web_search', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }, 'max_uses_exceeded'],
    ['code_execution', { type: 'code_execution_result', stdout: '', stderr: 'no', return_code: 1 }, 'exit 1'],
  ])('PV-2: an error of %s says so', (name, content, error) => {
    expect(only(call(name, {}), result(name, content))).toMatchObject({ error, state: 'failed' });
  });

  it('PV-1: results find their calls by id, also when other blocks are between', () => {
    const uses = providerToolsOf([
      call('web_search', { query: 'one' }, 'a'),
      call('web_search', { query: 'two' }, 'b'),
      result('web_search', [{ url: 'https://b.example/' }], 'b'),
      { type: 'tool-use', id: 'c', name: 'mine', parameters: {} },
      result('web_search', [{ url: 'https://a.example/' }], 'a'),
    ]);
    expect(uses.map(({ sources }) => sources[0]?.url)).toEqual(['https://a.example/', 'https://b.example/']);
  });

  it('PV-1: a call of a remote server is named by both', () => {
    const asked = { type: 'mcp_tool_use', id: 'm', name: 'find', server_name: 'trees', input: { of: 'oak' } };
    const told = { type: 'mcp_tool_result', tool_use_id: 'm', is_error: true, content: [{ type: 'text', text: 'no' }] };
    expect(only(asked, told)).toMatchObject({
      kind: 'remote_mcp',
      name: 'trees › find',
      output: 'no',
      error: 'error',
      state: 'failed',
    });
  });
});

describe('what was imported', () => {
  it('PV-7: blocks of an imported conversation are read under the names that the import gives them', () => {
    const blocks = [call('web_search', { query: 'q' }), result('web_search', [{ url: 'https://a.example/' }])];
    const imported = blocks.map((block) => ({ ...block, type: `anthropic_${block.type}` }));
    expect(providerToolsOf(imported)).toEqual(providerToolsOf(blocks));
  });
});

describe('what OpenAI ran', () => {
  it('PV-3: a search, and the pages that it opened', () => {
    const sources = [{ type: 'url', url: 'https://a.example/' }];
    const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q', sources } };
    const page = {
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'open_page', url: 'https://b.example' },
    };
    expect(providerToolsOf([search, page])).toMatchObject([
      { kind: 'web_search', queries: ['q'], sources: [{ url: 'https://a.example/', title: null }], state: 'done' },
      { kind: 'web_fetch', urls: ['https://b.example'], state: 'done' },
    ]);
  });

  it('PV-3: files that were searched, and those that code made', () => {
    const made = { type: 'container_file_citation', filename: 'plot.png', file_id: 'f', start_index: 0, end_index: 1 };
    expect(
      providerToolsOf([
        { type: 'file_search_call', status: 'completed', queries: ['q'], results: [{ filename: 'a.md' }] },
        { type: 'code_interpreter_call', status: 'completed', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
        text('Done.'),
        { type: 'annotations', annotations: [made] },
      ]),
    ).toMatchObject([
      { kind: 'file_search', queries: ['q'], files: ['a.md'] },
      { kind: 'code_execution', code: '1+1', output: '2', files: ['plot.png'] },
    ]);
  });

  it('PV-3: a picture is the picture, with the prompt that it was drawn from', () => {
    const drawn = { type: 'image_generation_call', status: 'completed', revised_prompt: 'an oak', result: 'iVBORw0K' };
    expect(only(drawn)).toMatchObject({
      kind: 'image_generation',
      queries: ['an oak'],
      pictures: [{ mediaType: 'image/png', data: 'iVBORw0K' }],
    });
  });

  it('PV-3: remote servers: what they offer and what they were asked', () => {
    expect(
      providerToolsOf([
        { type: 'mcp_list_tools', server_label: 'trees', tools: [{ name: 'find' }, { name: 'plant' }] },
        { type: 'mcp_call', server_label: 'trees', name: 'find', arguments: '{"of":"oak"}', error: 'no oaks' },
      ]),
    ).toMatchObject([
      { kind: 'remote_mcp', name: 'trees', output: 'find\nplant', state: 'done' },
      { kind: 'remote_mcp', name: 'trees › find', code: '{"of":"oak"}', error: 'no oaks', state: 'failed' },
    ]);
  });

  it.each([
    ['failed', 'failed'],
    ['searching', 'running'],
  ])('PV-2: an item that is %s is %s', (status, state) => {
    expect(only({ type: 'web_search_call', status, action: {} })).toMatchObject({ state });
  });

  it('PV-4: lists of sources of a chat stand before its text', () => {
    const search_results = [{ title: 'A', url: 'https://a.example/', date: '2026-01-01' }];
    const uses = placedUses([
      { type: 'thinking', thinking: 'x' },
      text('An answer [1].'),
      { type: 'citations', citations: ['https://a.example/', 'https://b.example/'] },
      { type: 'search_results', search_results },
    ]);
    expect(uses).toHaveLength(1);
    expect(uses[0]).toMatchObject({
      at: 1,
      use: {
        kind: 'web_search',
        sources: [
          { url: 'https://a.example/', title: 'A' },
          { url: 'https://b.example/', title: null },
        ],
      },
    });
  });
});

describe('what Gemini ran', () => {
  const part = (name: string, value: unknown): ContentBlock => ({ type: `gemini:${name}`, part: { [name]: value } });

  it('PV-5: code and its result are one', () => {
    const code = part('executableCode', { language: 'PYTHON', code: 'print(2)' });
    expect(only(code, part('codeExecutionResult', { outcome: 'OUTCOME_OK', output: '2\n' }))).toMatchObject({
      kind: 'code_execution',
      code: 'print(2)',
      output: '2\n',
      state: 'done',
    });
    expect(only(code, part('codeExecutionResult', { outcome: 'OUTCOME_FAILED', output: 'x' }))).toMatchObject({
      error: 'OUTCOME_FAILED',
      state: 'failed',
    });
  });

  it('PV-4: grounding that is repeated in the middle of a text is one search before it', () => {
    const grounding = (...uris: string[]): ContentBlock => ({
      type: 'gemini:groundingMetadata',
      data: { webSearchQueries: ['oaks'], groundingChunks: uris.map((uri) => ({ web: { uri, title: 'T' } })) },
    });
    const blocks = [text('One '), grounding('https://a.example/'), text('two.'), grounding('https://b.example/')];
    expect(placedUses(blocks)).toMatchObject([
      {
        at: 0,
        use: {
          kind: 'web_search',
          queries: ['oaks'],
          sources: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
        },
      },
    ]);
  });

  it('PV-5: calls that it names, files that it read, pages and pictures', () => {
    expect(
      providerToolsOf([
        part('toolCall', { id: 'x', toolType: 'FILE_SEARCH', args: { query: 'oaks' } }),
        part('toolResponse', { id: 'x', toolType: 'FILE_SEARCH' }),
        part('inlineData', { mimeType: 'image/png', data: 'iVBORw0K' }),
        text('So.'),
        { type: 'gemini:groundingMetadata', data: { groundingChunks: [{ retrievedContext: { title: 'a.md' } }] } },
        {
          type: 'gemini:urlContextMetadata',
          data: {
            urlMetadata: [{ retrievedUrl: 'https://a.example/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }],
          },
        },
      ]),
    ).toMatchObject([
      { kind: 'file_search', queries: ['oaks'], files: ['a.md'], state: 'done' },
      { kind: 'image_generation', pictures: [{ data: 'iVBORw0K' }] },
      { kind: 'web_fetch', urls: ['https://a.example/'], state: 'failed' },
    ]);
  });

  it('PV-15: what a text is grounded on was found by the calls before it, which are told once', () => {
    const called = (id: string, toolType: string, args: object): readonly ContentBlock[] => [
      part('toolCall', { id, toolType, args }),
      part('toolResponse', { id, toolType }),
    ];
    const grounding: ContentBlock = {
      type: 'gemini:groundingMetadata',
      data: { webSearchQueries: ['oaks'], groundingChunks: [{ web: { uri: 'https://a.example/', title: 'T' } }] },
    };
    const read: ContentBlock = {
      type: 'gemini:urlContextMetadata',
      data: { urlMetadata: [{ retrievedUrl: 'https://b.example/' }] },
    };
    const first = [
      ...called('1', 'GOOGLE_SEARCH_WEB', { query: 'oaks' }),
      ...called('2', 'URL_CONTEXT', { query: 'https://c.example/' }),
    ];
    const code = [part('executableCode', { code: '1' }), part('codeExecutionResult', { output: '1' })];
    const whole = [...first, ...code, text('So.'), grounding, read];
    const search = { kind: 'web_search', queries: ['oaks'], sources: [{ url: 'https://a.example/' }], state: 'done' };
    const told = [
      search,
      { kind: 'web_fetch', urls: ['https://c.example/', 'https://b.example/'] },
      { kind: 'code_execution' },
    ];
    expect(providerToolsOf(whole)).toMatchObject(told);
    // The next part of the reply is grounded on what was found for it.
    const behind = whole.length;
    expect(placedUses([...whole, text('More.'), grounding], new Set([0, behind])).map(({ use }) => use)).toMatchObject([
      ...told,
      search,
    ]);
  });
});

describe('hostile values', () => {
  const values: readonly unknown[] = [null, 0, '', 'x', true, [], [null], {}, { type: 7 }, { content: [7] }];
  const types = [
    'server_tool_use',
    'mcp_tool_use',
    'web_search_tool_result',
    'bash_code_execution_tool_result',
    'mcp_tool_result',
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'mcp_call',
    'mcp_list_tools',
    'annotations',
    'citations',
    'search_results',
    ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'inlineData'].map(
      (name) => `gemini:${name}`,
    ),
    'gemini:groundingMetadata',
    'gemini:urlContextMetadata',
  ];

  it.each(types)('PV-6: %s with fields of any type throws nothing', (type) => {
    for (const value of values) {
      const names = ['id', 'name', 'input', 'tool_use_id', 'content', 'action', 'queries', 'results', 'outputs'];
      const more = ['result', 'error', 'tools', 'annotations', 'citations', 'search_results', 'part', 'data', 'status'];
      const block = { ...Object.fromEntries([...names, ...more].map((name) => [name, value])), type };
      expect(() => providerToolsOf([block, block])).not.toThrow();
    }
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', ' https://a.example', 'https://a.example/"x', '//a.example', 7])(
    'PV-6: %s is no address',
    (url) => {
      expect(only(result('web_search', [{ url, title: 'T' }]))?.sources).toEqual([{ url: null, title: 'T' }]);
      expect(only(call('web_fetch', { url }))?.urls).toEqual([]);
    },
  );

  it('PV-6: names of the language itself are no kinds', () => {
    expect(only(call('constructor', {}))).toMatchObject({ kind: 'other', name: 'constructor' });
  });

  it('PV-6: a list without end is cut, and so is a text', () => {
    const sources = Array.from({ length: 100_000 }, (_, index) => ({ url: `https://a.example/${index}` }));
    expect(only(result('web_search', sources))?.sources.length).toBe(200);
    const logs = 'x'.repeat(1_000_000);
    const ran = { type: 'code_interpreter_call', status: 'completed', outputs: [{ type: 'logs', logs }] };
    expect(only(ran)?.output?.length).toBe(200_001);
  });

  it('PV-6: what is no picture is none', () => {
    for (const data of ['<svg onload=alert(1)>', '', 7]) {
      expect(only({ type: 'image_generation_call', status: 'completed', result: data })?.pictures).toEqual([]);
    }
    const svg = { type: 'image_generation_call', status: 'completed', output_format: 'svg+xml', result: 'PHN2Zz4=' };
    expect(only(svg)?.pictures).toEqual([]);
  });
});
