import type { ContentBlock, ContextItem, Message, NodeId, RawResponse } from '@bough/core';
import { isToolUseBlock, messageOf, nodeId, rawPayload, textMessage } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { deploymentKey } from '../../../deployment.ts';
import { gemini as deployment } from '../../../deployments/gemini.ts';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import { gemini } from '../index.ts';
import { SKIP_SIGNATURE } from '../signature.ts';
import { endpointOf } from './endpoint.ts';

const REQUEST = { method: 'POST', url: 'https://models.example', headers: {}, body: '{}' };

const MODEL = 'gemini-3.8-flash';
const id = nodeId;

function chunk(parts: readonly unknown[], candidate: Record<string, unknown> = {}): string {
  return JSON.stringify({ candidates: [{ content: { role: 'model', parts }, ...candidate }], responseId: 'resp-1' });
}

function rawOf(datas: readonly string[], issuer: Partial<RawResponse> = {}): RawResponse {
  return {
    provider: 'gemini',
    deployment: deploymentKey(deployment),
    model: MODEL,
    api: 'gemini',
    version: 1,
    capturedAt: '2026-11-15T00:00:00Z',
    complete: true,
    payload: rawPayload(
      'gemini',
      datas.map((data) => ({ data })),
    ),
    ...issuer,
  };
}

/** A small conversation under construction: items and the raw replies that they refer to. */
class Talk {
  readonly items: ContextItem[] = [];
  readonly raws = new Map<NodeId, RawResponse>();
  #count = 0;

  user(text: string): this {
    return this.#push(textMessage('user', text), {});
  }

  result(callId: string, text: string, change: Partial<ContextItem> = {}): this {
    return this.#push(messageOf('tool', [{ type: 'text', text }], callId), change);
  }

  canonical(blocks: readonly ContentBlock[], change: Partial<ContextItem> = {}): this {
    const answeredCalls = blocks.filter(isToolUseBlock).map((call) => call.id);
    return this.#push(messageOf('assistant', blocks), { answeredCalls, ...change });
  }

  reply(raw: RawResponse, change: Partial<ContextItem> = {}): this {
    const blocks = gemini.toContentBlocks(raw);
    const answeredCalls = blocks.filter(isToolUseBlock).map((call) => call.id);
    this.raws.set(id(`n${this.#count}`), raw);
    const message = messageOf('assistant', blocks.length === 0 ? [{ type: 'text', text: '' }] : blocks);
    return this.#push(message, { source: 'raw', reasoning: 'verbatim', answeredCalls, ...change });
  }

  prepare(change: Partial<Omit<RenderInput, 'model'>> & { readonly model?: string } = {}): PreparedRequest {
    const { model = MODEL, ...rest } = change;
    return gemini.prepare({
      items: this.items,
      systemPrompt: null,
      tools: [],
      toolChoice: 'auto',
      thinking: 'medium',
      maxTokens: 1000,
      stream: true,
      deployment,
      rawOf: (node) => this.raws.get(node),
      ...rest,
      model: deployment.modelInfo(model),
    });
  }

  contents(change: Parameters<Talk['prepare']>[0] = {}): unknown {
    return JSON.parse(this.prepare(change).body).contents;
  }

  #push(message: Message, change: Partial<ContextItem>): this {
    this.items.push({
      nodeIds: [id(`n${this.#count}`)],
      source: 'canonical',
      message,
      reasoning: 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: false,
      ...change,
    });
    this.#count += 1;
    return this;
  }
}

const STREAMED = [
  chunk([{ text: 'A thought.', thought: true }]),
  chunk([{ text: 'Let me ' }]),
  chunk([{ text: 'look.' }]),
  chunk([{ functionCall: { id: 'w1', name: 'weather', args: { city: 'Bern' } }, thoughtSignature: 'Zmlyc3Q+/w==' }]),
  chunk([{ functionCall: { id: 'c2', name: 'clock', args: {} } }]),
  chunk([{ text: '' }], { finishReason: 'STOP' }),
];

const ANSWER = [
  chunk([{ text: 'It is ' }]),
  chunk([{ text: 'late.' }]),
  chunk([{ text: '', thoughtSignature: 'bGFzdA==' }], { finishReason: 'STOP' }),
];

const toolTalk = (): Talk =>
  new Talk().user('Weather?').reply(rawOf(STREAMED)).result('w1', 'rain').result('c2', '23:00');

describe('gemini request: replies of its own', () => {
  it('GEM-10: a reply goes back as its own parts: thoughts out, signatures untouched, plain pieces of text joined', () => {
    const contents = toolTalk().reply(rawOf(ANSWER)).user('Thanks').contents();
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'Weather?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { functionCall: { id: 'w1', name: 'weather', args: { city: 'Bern' } }, thoughtSignature: 'Zmlyc3Q+/w==' },
          { functionCall: { id: 'c2', name: 'clock', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'w1', name: 'weather', response: { output: 'rain' } } },
          { functionResponse: { id: 'c2', name: 'clock', response: { output: '23:00' } } },
        ],
      },
      { role: 'model', parts: [{ text: 'It is late.' }, { text: '', thoughtSignature: 'bGFzdA==' }] },
      { role: 'user', parts: [{ text: 'Thanks' }] },
    ]);
  });

  it('GEM-10: a signed part is joined to nothing, before or behind it', () => {
    const parts = [{ text: 'a' }, { text: 'b', thoughtSignature: 'Yg==' }, { text: 'c' }, { text: 'd' }, { text: '' }];
    const talk = new Talk()
      .user('x')
      .reply(rawOf([chunk(parts, { finishReason: 'STOP' })]))
      .user('y');
    expect(talk.contents()).toMatchObject([
      {},
      { parts: [{ text: 'a' }, { text: 'b', thoughtSignature: 'Yg==' }, { text: 'cd' }] },
      {},
    ]);
  });

  it('GEM-10: a thought that carries the signature itself goes back whole; one that does not stays out', () => {
    const parts = [
      { text: 'shown', thought: true },
      { text: 'kept', thought: true, thoughtSignature: 'Yg==' },
      { text: 'said' },
    ];
    const talk = new Talk()
      .user('x')
      .reply(rawOf([chunk(parts, { finishReason: 'STOP' })]))
      .user('y');
    expect(talk.contents()).toMatchObject([
      {},
      { parts: [{ text: 'kept', thought: true, thoughtSignature: 'Yg==' }, { text: 'said' }] },
      {},
    ]);
  });

  it('GEM-21: what a tool of Google did goes back with both signatures, and the request says that it takes such parts', () => {
    const parts = [
      { toolCall: { id: 't', toolType: 'FILE_SEARCH', args: { q: 'tides' } }, thoughtSignature: 'Yg==' },
      { toolResponse: { id: 't', toolType: 'FILE_SEARCH', response: { result: [] } }, thoughtSignature: 'Yw==' },
      { text: 'Found.', thoughtSignature: 'ZA==' },
    ];
    const talk = new Talk()
      .user('x')
      .reply(rawOf([chunk(parts, { finishReason: 'STOP' })]))
      .user('y');
    expect(talk.contents()).toMatchObject([{}, { role: 'model', parts }, {}]);
    const request = talk.prepare();
    expect(JSON.parse(request.body)).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } });
    expect(request.violations).toEqual([]);
    expect(request.text).toBeNull();
    // Without their signatures they are refused: to another model goes only what was said.
    const other = new Talk()
      .user('x')
      .reply(rawOf([chunk(parts, { finishReason: 'STOP' })], { model: 'gemini-3.7-flash' }))
      .user('y');
    expect(other.contents()).toMatchObject([{}, { parts: [{ text: 'Found.' }] }, {}]);
    expect(JSON.parse(other.prepare().body)).not.toHaveProperty('toolConfig');
    expect(other.prepare().violations).toEqual([]);
  });

  it('GEM-22: a generation that goes on is asked for with its token and without what it has said so far', () => {
    const hop = (text: string, continuationToken: string) =>
      rawOf([chunk([{ text }], { finishReason: 'CONTINUATION', continuationToken })]);
    const talk = new Talk().user('x').reply(hop('One', 'dG9r')).reply(hop(', two', 'dG9r2g=='));
    const running = talk.prepare();
    expect(JSON.parse(running.body)).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      continuationToken: 'dG9r2g==',
    });
    expect(running.violations).toEqual([]);
    expect(running.text).toBeNull();
    talk.reply(rawOf([chunk([{ text: ', three.' }], { finishReason: 'STOP' })])).user('y');
    expect(talk.contents()).toMatchObject([
      {},
      { parts: [{ text: 'One' }, { text: ', two' }, { text: ', three.' }] },
      {},
    ]);
    expect(JSON.parse(talk.prepare().body)).not.toHaveProperty('continuationToken');
  });

  it('GEM-22: another model cannot go on with it', () => {
    const raw = rawOf([chunk([{ text: 'One' }], { finishReason: 'CONTINUATION', continuationToken: 'dG9r' })], {
      model: 'gemini-3.7-flash',
    });
    const request = new Talk().user('x').reply(raw).prepare();
    expect(JSON.parse(request.body)).not.toHaveProperty('continuationToken');
    expect(request.body).toContain('One');
  });

  it('GEM-10: code, images and the provider’s own tools go back as they came; what nobody knows is left out and reported', () => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: '1' } },
      { toolCall: { id: 't', toolType: 'FILE_SEARCH' }, thoughtSignature: 'Yg==' },
      { hologram: {} },
    ];
    const talk = new Talk()
      .user('x')
      .reply(rawOf([chunk(parts, { finishReason: 'STOP' })]))
      .user('y');
    expect(talk.contents()).toMatchObject([{}, { parts: parts.slice(0, 2) }, {}]);
    expect(talk.prepare().notes).toEqual([
      { nodeId: 'n1', reason: 'custom_block_not_sent', detail: expect.stringContaining('hologram') },
    ]);
  });

  it('GEM-10: a reply that is nothing but thoughts is left out and reported', () => {
    const talk = new Talk()
      .user('x')
      .reply(rawOf([chunk([{ text: 'hm', thought: true }])]))
      .user('y');
    expect(talk.contents()).toEqual([{ role: 'user', parts: [{ text: 'x' }, { text: 'y' }] }]);
    expect(talk.prepare().notes).toMatchObject([{ nodeId: 'n1', reason: 'thinking_not_replayable' }]);
  });

  it('GEM-11: signatures go to their issuer only; the first call of a step then carries the documented value', () => {
    for (const issuer of [
      { model: 'gemini-3.7-flash' },
      { deployment: 'gemini@elsewhere.example' },
      { provider: 'lab' },
    ]) {
      const talk = new Talk().user('x').reply(rawOf(STREAMED, issuer)).result('w1', 'rain').result('c2', 'late');
      expect(talk.contents()).toMatchObject([
        {},
        {
          parts: [
            { text: 'Let me look.' },
            { functionCall: { name: 'weather' }, thoughtSignature: SKIP_SIGNATURE },
            { functionCall: { name: 'clock' } },
          ],
        },
        {},
      ]);
      expect(talk.prepare().notes).toMatchObject([{ nodeId: 'n1', reason: 'foreign_issuer' }]);
      expect(talk.prepare().body).not.toContain('Zmlyc3Q');
    }
  });

  it('GEM-11: an omitted signature leaves no empty part behind', () => {
    const talk = new Talk().user('x').reply(rawOf(ANSWER), { reasoning: 'omit' }).user('y');
    expect(talk.contents()).toMatchObject([{}, { parts: [{ text: 'It is late.' }] }, {}]);
    expect(talk.prepare().notes).toEqual([]);
  });

  it('GEM-11: a lost reply goes as canonical text, and the report says so', () => {
    const talk = new Talk().user('x').reply(rawOf(ANSWER)).user('y');
    const prepared = talk.prepare({ rawOf: () => undefined });
    expect(JSON.parse(prepared.body).contents[1]).toEqual({ role: 'model', parts: [{ text: 'It is late.' }] });
    expect(prepared.notes).toMatchObject([{ nodeId: 'n1', reason: 'raw_missing' }]);
  });

  it('GEM-11: what stands behind an error or behind something unreadable is no part of the reply', () => {
    const error = JSON.stringify({ error: { code: 500, message: 'x' } });
    for (const end of [error, 'no JSON', JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } })]) {
      const raw = rawOf([chunk([{ text: 'half' }]), end, chunk([{ text: ' ghost' }])], { complete: false });
      const talk = new Talk().user('x').reply(raw, { partial: true }).user('y');
      expect(talk.contents()).toMatchObject([{}, { parts: [{ text: 'half' }] }, {}]);
    }
  });

  it('GEM-11: of a broken reply, calls without result stay out, and a signature is never moved to another call', () => {
    const talk = new Talk()
      .user('x')
      .reply(rawOf(STREAMED.slice(0, 5)), { partial: true, answeredCalls: ['c2'] })
      .result('c2', 'late');
    expect(talk.contents()).toMatchObject([
      {},
      { parts: [{ text: 'Let me look.' }, { functionCall: { id: 'c2' }, thoughtSignature: SKIP_SIGNATURE }] },
      { parts: [{ functionResponse: { id: 'c2', name: 'clock' } }] },
    ]);
  });
});

describe('gemini request: replies of others, results and roles', () => {
  const CALLS: readonly ContentBlock[] = [
    { type: 'thinking', thinking: 'secret', signature: 'foreign' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool-use', id: 'toolu_1', name: 'weather', parameters: { city: 'Bern' } },
    { type: 'tool-use', id: 'toolu_2', name: 'clock', parameters: {} },
    { type: 'citation', url: 'https://example.org' },
  ];

  it('GEM-12: a foreign step keeps calls and ids, its first call carries the documented value, its reasoning stays out', () => {
    const talk = new Talk().user('x').canonical(CALLS).result('toolu_1', 'rain').result('toolu_2', 'late');
    const prepared = talk.prepare();
    expect(JSON.parse(prepared.body).contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          {
            functionCall: { id: 'toolu_1', name: 'weather', args: { city: 'Bern' } },
            thoughtSignature: SKIP_SIGNATURE,
          },
          { functionCall: { id: 'toolu_2', name: 'clock', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'toolu_1', name: 'weather', response: { output: 'rain' } } },
          { functionResponse: { id: 'toolu_2', name: 'clock', response: { output: 'late' } } },
        ],
      },
    ]);
    expect(prepared.body).not.toContain('secret');
    expect(prepared.notes).toMatchObject([{ reason: 'custom_block_not_sent' }]);
    expect(prepared.violations).toEqual([]);
  });

  it('GEM-12: Gemini 2.5 gets neither ids nor the documented value', () => {
    const talk = new Talk().user('x').canonical(CALLS).result('toolu_1', 'rain').result('toolu_2', 'late');
    const { body } = talk.prepare({ model: 'gemini-2.5-flash' });
    expect(body).not.toContain('toolu_');
    expect(body).not.toContain('thoughtSignature');
    expect(body).toContain('{"functionResponse":{"name":"weather","response":{"output":"rain"}}}');
  });

  it('GEM-13: results stand behind their calls, in their order, also where the user spoke in between', () => {
    const talk = new Talk()
      .user('x')
      .reply(rawOf(STREAMED))
      .user('hurry')
      .result('c2', 'late')
      .result('w1', 'rain')
      .user('and?');
    expect(talk.contents()).toMatchObject([
      { role: 'user' },
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { id: 'w1' } }, { functionResponse: { id: 'c2' } }] },
      { role: 'user', parts: [{ text: 'hurry' }, { text: 'and?' }] },
    ]);
  });

  it('GEM-13: a call that Gemini gave no id is answered without one', () => {
    const raw = rawOf([
      chunk([{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'Yg==' }], { finishReason: 'STOP' }),
    ]);
    const [call] = gemini.toContentBlocks(raw).filter(isToolUseBlock);
    const talk = new Talk()
      .user('x')
      .reply(raw)
      .result(call?.id ?? '', 'done');
    expect(talk.prepare().body).toContain('{"functionResponse":{"name":"f","response":{"output":"done"}}}');
  });

  it('GEM-13: a failure that was sent as an output is sent so again, byte for byte', () => {
    const talk = (isError: boolean) => new Talk().user('x').reply(rawOf(STREAMED)).result('w1', 'no luck', { isError });
    const before = talk(false).prepare();
    const stored = new Map(before.renderings.map(({ nodeId: node, key, bytes }) => [`${node} ${key}`, bytes]));
    const again = talk(true).prepare({ renderingOf: (node, key) => stored.get(`${node} ${key}`) });
    expect(again.body).toBe(before.body);
    expect(again.renderings).toEqual([]);
    expect(talk(true).prepare().body).toContain('"response":{"error":"no luck"}');
  });

  it('GEM-13: a failure is told as an error; a result without its call is left out and reported', () => {
    const talk = new Talk()
      .user('x')
      .reply(rawOf(STREAMED))
      .result('w1', 'not run', { isError: true })
      .result('c2', 'late')
      .result('ghost', 'boo');
    expect(talk.contents()).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { error: 'not run' } } }, {}] },
    ]);
    expect(talk.prepare().notes).toMatchObject([{ nodeId: 'n4', reason: 'repaired' }]);
  });

  it('GEM-14: neighbours of one side share a content, and their parts stay apart', () => {
    const talk = new Talk()
      .user('a')
      .user('b')
      .canonical([{ type: 'text', text: 'labelled' }])
      .reply(rawOf(ANSWER))
      .user('c');
    expect(talk.contents()).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      {
        role: 'model',
        parts: [{ text: 'labelled' }, { text: 'It is late.' }, { text: '', thoughtSignature: 'bGFzdA==' }],
      },
      { role: 'user', parts: [{ text: 'c' }] },
    ]);
  });

  it('GEM-14: what would break the order of roles is repaired by name and reported', () => {
    const first = new Talk().reply(rawOf(STREAMED)).result('w1', 'rain').result('c2', 'late').prepare();
    expect(JSON.parse(first.body).contents[0]).toMatchObject({ role: 'user', parts: [{ text: expect.any(String) }] });
    expect(first.violations).toMatchObject([{ rule: 'GEM-PAIR-1', repaired: true }]);
    expect(first.notes).toMatchObject([{ nodeId: 'n0', reason: 'repaired' }]);

    const last = new Talk().user('x').reply(rawOf(ANSWER)).prepare();
    expect(JSON.parse(last.body).contents.at(-1)).toEqual({ role: 'user', parts: [{ text: 'Continue.' }] });
    expect(last.violations).toMatchObject([{ rule: 'GEM-ROLE-2', repaired: true }]);
    expect(new Talk().user('x').reply(rawOf(ANSWER)).prepare({ model: 'gemini-2.5-flash' }).violations).toEqual([]);
  });

  it('GEM-14: the system prompt stands in front; an empty one is not sent', () => {
    const talk = new Talk().user('x');
    expect(JSON.parse(talk.prepare({ systemPrompt: 'Be brief.' }).body).systemInstruction).toEqual({
      parts: [{ text: 'Be brief.' }],
    });
    expect(talk.prepare({ systemPrompt: ' ' }).body).not.toContain('systemInstruction');
  });
});

describe('gemini request: settings', () => {
  const config = (model: string, thinking: RenderInput['thinking']) =>
    JSON.parse(new Talk().user('x').prepare({ model, thinking }).body).generationConfig.thinkingConfig;

  it.each([
    ['gemini-3.8-flash', 'off', { thinkingLevel: 'low', includeThoughts: false }],
    ['gemini-3.8-flash', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3.8-flash', { budgetTokens: 20_000 }, { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3.5-flash-lite', 'off', { thinkingLevel: 'minimal', includeThoughts: false }],
    ['gemini-2.5-pro', 'off', { thinkingBudget: 128, includeThoughts: false }],
    ['gemini-2.5-pro', 'high', { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash', 'off', { thinkingBudget: 0, includeThoughts: false }],
    ['gemini-2.5-flash', { budgetTokens: 90_000 }, { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash-lite', { budgetTokens: 3 }, { thinkingBudget: 512, includeThoughts: true }],
    ['gemini-4-ultra', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-2.0-flash', 'high', undefined],
    ['some-proxy-model', 'high', undefined],
  ] as const)('GEM-15: %s told to think %s', (model, thinking, expected) => {
    expect(config(model, thinking)).toEqual(expected);
    expect(new Talk().user('x').prepare({ model, thinking }).violations).toEqual([]);
  });

  const TOOL = { name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object', properties: {} } };

  it('GEM-16: tools are declared, switched off without being removed, and no mode is sent without them', () => {
    const talk = new Talk().user('x');
    const body = JSON.parse(talk.prepare({ tools: [TOOL], toolChoice: 'none' }).body);
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'Tells the weather.',
            parametersJsonSchema: { type: 'object', properties: {} },
          },
        ],
      },
    ]);
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'NONE' } });
    expect(talk.prepare({ tools: [TOOL] }).body).not.toContain('toolConfig');
    expect(talk.prepare({ toolChoice: 'none' }).body).not.toContain('toolConfig');
  });

  it('GEM-17: the URL names the model and holds no key; a base URL with its version is taken as it is', () => {
    const talk = new Talk().user('x');
    const urlOf = (baseUrl: string, stream = true) =>
      talk.prepare({ stream, deployment: { ...deployment, baseUrl } }).url;
    expect(talk.prepare().url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    );
    expect(urlOf('http://127.0.0.1:9000/gemini/', false)).toBe(
      'http://127.0.0.1:9000/gemini/v1beta/models/gemini-3.8-flash:generateContent',
    );
    expect(urlOf('http://127.0.0.1:9000/v1')).toContain('9000/v1/models/');
    expect(endpointOf(deployment, 'half-\ud800', true)).toContain('/models/half-%EF%BF%BD:');
    expect(deployment.authorize('k', REQUEST)).toEqual({ 'x-goog-api-key': 'k' });
  });
});

describe('gemini request: bytes', () => {
  it('GEM-17: the same input gives the same bytes, and a longer conversation starts with the bytes of the shorter one', () => {
    const short = toolTalk().prepare({ systemPrompt: 'S' });
    expect(toolTalk().prepare({ systemPrompt: 'S' })).toEqual(short);
    const long = toolTalk()
      .reply(rawOf(ANSWER))
      .user('Thanks')
      .prepare({ systemPrompt: 'S', maxTokens: 77, thinking: 'high' });
    const end = short.body.indexOf('],"generationConfig"');
    expect(long.body.slice(0, end)).toBe(short.body.slice(0, end));
  });

  it('GEM-17: a stored rendering is sent byte for byte, and only what is new is given out to be stored', () => {
    const stored = new Map(
      toolTalk()
        .prepare()
        .renderings.map(({ nodeId: node, key, bytes }) => [`${node} ${key}`, bytes]),
    );
    expect(stored.size).toBe(4);
    // Whitespace that this code would never write proves that the stored bytes were used.
    for (const [key, bytes] of stored) stored.set(key, bytes.replace('{', '{ '));
    const again = toolTalk()
      .reply(rawOf(ANSWER))
      .user('Thanks')
      .prepare({ renderingOf: (node, key) => stored.get(`${node} ${key}`) });
    for (const bytes of stored.values()) expect(again.body).toContain(bytes);
    expect(again.renderings.map((rendering) => rendering.nodeId)).toEqual(['n4', 'n5']);
  });

  it('GEM-17: a node that is sent in another way is not taken from an old rendering', () => {
    const keys = (talk: Talk, model = MODEL) =>
      talk.prepare({ model }).renderings.map(({ nodeId: node, key }) => `${node} ${key}`);
    const base = keys(new Talk().user('x').reply(rawOf(ANSWER)).user('y'));
    expect(keys(new Talk().user('x').reply(rawOf(ANSWER), { reasoning: 'omit' }).user('y'))[1]).not.toBe(base[1]);
    expect(keys(new Talk().user('x').reply(rawOf(ANSWER)).user('y'), 'gemini-3.7-flash')[1]).not.toBe(base[1]);
    expect(keys(new Talk().user('other').reply(rawOf(ANSWER)).user('y'))[0]).not.toBe(base[0]);
  });

  it('GEM-17: half of a surrogate pair never leaves, whole pairs and written escapes do', () => {
    const halves = new Talk().user('a\ud83d b\\ud83d 😀').prepare({ systemPrompt: 'x\udc00' });
    expect(halves.body).toContain('{"text":"a� b\\\\ud83d 😀"}');
    expect(JSON.parse(halves.body).systemInstruction.parts[0].text).toBe('x�');
    expect(halves.notes).toMatchObject([{ nodeId: 'n0', reason: 'repaired' }]);
    const cut = rawOf([chunk([{ text: 'smile \ud83d' }]), chunk([{ text: '\ude00' }], { finishReason: 'STOP' })]);
    expect(new Talk().user('x').reply(cut).user('y').prepare().notes).toEqual([]);
  });

  it('GEM-18: a stored rendering that lost its signature is noticed', () => {
    const prepared = new Talk()
      .user('x')
      .reply(rawOf(ANSWER))
      .user('y')
      .prepare({ renderingOf: (node) => (node === id('n1') ? '{"text":"It is late."}' : undefined) });
    expect(prepared.violations).toMatchObject([{ rule: 'GEM-KEEP-1', kind: 'silent' }]);
  });
});
