import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../deployments/anthropic.ts';
import { inBase64, pdfBytes } from '../../../files/samples.ts';
import { preflightBody } from '../../../preflight-body/index.ts';
import { preflight } from '../../../rulebook/rule.ts';
import { CLAUDE_MODELS } from '../models.ts';
import type { Body } from '../wire.ts';
import { assistant, contextOf, system, user } from './cases.ts';
import { headerContext, missingBetas, rules } from './index.ts';

const OPUS = 'claude-opus-5-5';
const EXTRAS = 'mid-conversation-output-config-2026-07-01,mid-conversation-system-clear-at-2026-08-21';
const CHANGES = 'mid-conversation-tool-changes-2026-07-01,inline-tools-2026-09-15';
const text = (words: string) => ({ type: 'text', text: words });
const say = (...messages: readonly unknown[]): Body => ({ max_tokens: 1000, messages });

/** The rules that a body breaks when it is sent with these headers. */
function broken(body: Body, headers: Record<string, string> = {}, model = OPUS): readonly string[] {
  const { violations } = preflightBody(body, { deployment: anthropic, model, headers });
  return violations.filter(({ kind }) => kind === 'rejection').map(({ rule, message }) => `${rule} ${message}`);
}

describe('PDFs that the provider fetched', () => {
  const document = (pages: number) => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: inBase64(pdfBytes(pages)) },
  });
  const found = (pages: number) =>
    assistant(
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: { url: 'https://example.com/elm.pdf' } },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'web_fetch_result', url: 'https://example.com/elm.pdf', content: document(pages) },
      },
      text('Read.'),
    );
  const pagesOf = (fetched: number, attached: number) =>
    broken(say(user(text('a')), found(fetched), user(document(attached), text('b'))), {}, 'claude-sonnet-4-5');

  it('ANT-FILE-5: count like those that a person attached, and only the latter can be named instead', () => {
    expect(pagesOf(60, 40)).toEqual([]);
    const [finding, ...more] = pagesOf(60, 41);
    expect(finding).toContain('messages.2.content.0.pdf.source.base64.data: A maximum of 100 PDF pages');
    expect(more).toEqual([]);
    expect(pagesOf(101, 1)).toHaveLength(2);
  });
});

describe('the version of the API decides', () => {
  const now = { 'anthropic-version': '2026-10-21' };

  it.each(CLAUDE_MODELS.map(({ id }) => id))('ANT-SET-8: since 2026-10-21 %s takes no sampling parameter', (model) => {
    for (const sampling of [{ temperature: 1 }, { temperature: null }, { top_p: 0.99 }, { top_k: 5 }]) {
      const [key] = Object.keys(sampling);
      expect(broken({ ...say(user(text('a'))), ...sampling }, now, model)).toEqual([
        `ANT-SET-8 ${key}: Extra inputs are not permitted`,
      ]);
    }
  });

  it('ANT-SET-8: before it, the model decides', () => {
    const warm = { ...say(user(text('a'))), temperature: 0.5 };
    expect(broken(warm, {}, 'claude-sonnet-4-5')).toEqual([]);
    expect(broken(warm, {}, OPUS)).toEqual(['ANT-SET-8 `temperature` is not supported for this model.']);
    expect(broken({ ...warm, temperature: 1 }, {}, OPUS)).toEqual([]);
  });

  it('ANT-SET-8: a body that was made for the old version loses them', () => {
    const target = { deployment: anthropic, model: 'claude-sonnet-4-5', headers: now };
    const { body } = preflightBody({ ...say(user(text('a'))), temperature: 0.5, top_k: 5 }, target);
    expect(body).toEqual(say(user(text('a'))));
  });

  it('ANT-VER-1: documents of the assistant and citations of the user were allowed before', () => {
    const body = say(
      user({ ...text('a'), citations: [{}] }),
      assistant({ type: 'document' }, text('b')),
      user(text('c')),
    );
    expect(broken(body)).toEqual([]);
    expect(broken(body, now).map((line) => line.slice(0, 9))).toEqual(['ANT-VER-1', 'ANT-VER-2']);
  });
});

describe('the betas of a request decide', () => {
  it('ANT-BETA-1: the request’s own header counts beside that of the deployment', () => {
    expect(headerContext({ 'Anthropic-Beta': 'a, b' }, { 'anthropic-beta': 'b,c' })).toEqual({
      betas: ['a', 'b', 'c'],
      version: '2023-06-01',
    });
    expect(headerContext(anthropic.headers, { 'anthropic-version': '2026-10-21' }).version).toBe('2026-10-21');
  });

  const tool = { name: 'now', input_schema: { type: 'object' } };
  const definition = (value: object) => ({
    type: 'tool_addition',
    tool: { type: 'tool_definition', definition: value },
  });
  const compaction = { type: 'compaction', content: 'c' };
  it.each<[string, Body, readonly string[]]>([
    ['a tool change', say(user(text('a')), system({ type: 'tool_removal', tool: {} })), [CHANGES.split(',')[0] ?? '']],
    ['a tool by value', say(user(text('a')), system(definition(tool))), CHANGES.split(',')],
    [
      'an MCP toolset by value',
      say(user(text('a')), system(definition({ type: 'mcp_toolset' }))),
      [...CHANGES.split(','), 'mcp-client-2026-09-15'],
    ],
    ['an effort', say({ role: 'system', output_config: { effort: 'low' } }), [EXTRAS.split(',')[0] ?? '']],
    ['a lifetime', say({ role: 'system', clear_at: 'never', content: 'x' }), [EXTRAS.split(',')[1] ?? '']],
    ['a summary', say(assistant({ ...compaction, signature: 's' }), user(text('a'))), ['compact-2026-09-04']],
    ['a compaction', say(user(text('a')), assistant(compaction)), ['compact-2026-01-12']],
    ['an advisor', { ...say(user(text('a'))), tools: [{ type: 'advisor_20260301' }] }, ['advisor-tool-2026-03-01']],
    ['a listing', say(user(text('a')), assistant({ type: 'mcp_tool_listing' })), ['mcp-client-2026-09-15']],
    ['a thread', { ...say(user(text('a'))), thread: { type: 'create' } }, ['message-threads-2026-08-12']],
  ])('ANT-BETA-1: %s needs its own', (_, body, betas) => {
    expect(missingBetas(body, ['other-2025-01-01'])).toEqual(betas);
    const rule = rules.filter(({ id }) => id === 'ANT-BETA-1');
    const found = (named: readonly string[]) =>
      preflight(rule, body, { ...contextOf({ model: OPUS }), betas: named }).violations;
    expect(found([])).toHaveLength(betas.length);
    expect(found(betas)).toEqual([]);
  });

  it('ANT-BETA-1: the name that Claude Code uses for effort is as good', () => {
    const body = say({ role: 'system', output_config: { effort: 'low' } }, user(text('a')));
    expect(broken(body, { 'anthropic-beta': 'per-turn-control-2026-07-01' })).toEqual([]);
  });
});

describe('system messages in the middle', () => {
  const beta = { 'anthropic-beta': `${EXTRAS},${CHANGES}` };
  const effort = (more: object = {}) => ({ role: 'system', output_config: { effort: 'high' }, ...more });

  it('ANT-SHAPE-1: one that only sets the effort needs no content and may stand anywhere, several in a row', () => {
    const call = { type: 'tool_use', id: 't1', name: 'now', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'six' };
    const body = say(
      effort(),
      effort({ content: [] }),
      user(text('a')),
      assistant(call),
      effort(),
      user(result),
      effort(),
    );
    expect(broken(body, beta)).toEqual([]);
  });

  it('ANT-SHAPE-1: with neither content nor effort it is refused', () => {
    const refusals = (message: object) => broken(say(user(text('a')), message), beta).map((line) => line.split(' ')[0]);
    expect(refusals({ role: 'system' })).toContain('ANT-SHAPE-1');
    expect(refusals({ role: 'system', output_config: {} })).toContain('ANT-SHAPE-1');
    expect(refusals({ role: 'system', content: [], output_config: {} })).toContain('ANT-TEXT-3');
    expect(broken(say(user(text('a')), { role: 'system', content: 'x', output_config: {} }), beta)).toEqual([]);
  });

  it('ANT-SHAPE-1: a repair that drops empty messages leaves it in place', () => {
    const body = say(effort({ content: [] }), user(text('a')), assistant(text(' ')), user(text('b')));
    const target = { deployment: anthropic, model: OPUS, headers: beta };
    const { body: repaired } = preflightBody(body, target);
    expect(repaired['messages']).toEqual([effort({ content: [] }), user(text('a')), user(text('b'))]);
  });

  it('ANT-SYS-1: Sonnet 5 and models before Opus 4.8 do not take them', () => {
    const takers = CLAUDE_MODELS.filter(
      ({ id }) => broken(say(user(text('a')), system(text('b'))), {}, id).length === 0,
    ).map(({ id }) => id.slice('claude-'.length));
    const expected =
      'fable-5 fable-5-1 fable-5-2 haiku-5-5 mythos-5 mythos-5-1 mythos-5-2 opus-4-8 opus-5 opus-5-5 sonnet-5-5';
    expect(takers.sort()).toEqual(expected.split(' '));
  });

  it('ANT-SYS-2: neither first, nor between a call and its result, nor before the user', () => {
    const call = { type: 'tool_use', id: 't1', name: 'now', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'six' };
    const at = (body: Body) => broken(body).filter((line) => line.startsWith('ANT-SYS-2')).length;
    expect(at(say(system(text('x')), user(text('a'))))).toBe(1);
    expect(at(say(user(text('a')), assistant(call), system(text('x')), user(result)))).toBe(1);
    expect(at(say(user(text('a')), system(text('x')), user(text('b'))))).toBe(1);
    expect(at(say(user(text('a')), system(text('x')), system(text('y')), assistant(text('b')), user(text('c'))))).toBe(
      0,
    );
  });

  it('ANT-LOSS-4: a text is the same as a string and as a block, with and without a cache mark', () => {
    const before = say(user(text('a')), { role: 'system', content: 'x' });
    const marked = { ...text('x'), cache_control: { type: 'ephemeral' } };
    const after = say({ role: 'user', content: 'a' }, system(marked), assistant(text('b')), user(text('c')));
    const context = { ...contextOf({ model: OPUS }), previous: before };
    expect(preflight(rules, after, context).violations).toEqual([]);
  });

  it('ANT-TOOL-5: a reference may name what a summary has kept, but not what comes later', () => {
    const added = { type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: 'now' } } };
    const use = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'now' } };
    const summary = { type: 'compaction', content: 'c', signature: 's', tool_changes: [added] };
    const headers = { 'anthropic-beta': `${CHANGES},compact-2026-09-04` };
    expect(broken(say(assistant(summary), user(text('a')), system(use)), headers)).toEqual([]);
    const early = say(user(text('a')), system(use), assistant(text('b')), user(text('c')), system(added));
    expect(broken(early, headers)).toEqual([expect.stringContaining("ANT-TOOL-5 messages.1.content.0: 'now' is not")]);
  });
});

describe('code that calls tools', () => {
  const program = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} };
  const call = (id: string) => ({
    type: 'tool_use',
    id,
    name: 'now',
    input: {},
    caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' },
  });
  const result = (id: string, content: unknown = 'six') => ({ type: 'tool_result', tool_use_id: id, content });
  const opening = [user(text('a')), assistant(program, call('t1'))];

  it('ANT-PAIR-9: only texts answer it', () => {
    const body = (...answer: readonly unknown[]) => ({ ...say(...opening, user(...answer)), container: { id: 'c' } });
    expect(broken(body(result('t1', [text('six')])))).toEqual([]);
    expect(broken(body(result('t1', [{ type: 'image' }])))).toHaveLength(1);
    expect(broken(body(result('t1'), text('And?'))).map((line) => line.slice(0, 10))).toEqual([
      'ANT-PAIR-8',
      'ANT-PAIR-9',
    ]);
  });

  it('ANT-PAIR-8: it does not stay open behind a reply that has nothing to do with it', () => {
    const other = { type: 'tool_use', id: 't2', name: 'now', input: {} };
    const body = say(...opening, user(result('t1')), assistant(other), user(result('t2')));
    expect(broken(body).map((line) => line.slice(0, 10))).toEqual(['ANT-PAIR-8']);
  });
});
