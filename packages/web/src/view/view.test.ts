import type { BranchView, CallView } from '@bough/api/client';
import { curlOf } from '@bough/api/client';
import { describe, expect, it } from 'vitest';
import { whole as en } from '../i18n/later/index.ts';
import { createTranslator, localeOf } from '../i18n/index.ts';
import { zh } from '../i18n/zh.ts';
import { describeBlock } from './block-list.ts';
import { availabilityRows, callTotals } from './diagnostics.ts';
import { altersContext, changesOf, formOf } from './envelope-form.ts';
import { withoutIds } from './error-text.ts';
import { formatTime } from './format.ts';
import { keyHeaders } from './key-headers.ts';
import { joinDraft } from './message-draft.ts';
import { reasonText } from './reasons.ts';
import { errorCodeOf, replyError } from './reply-error.ts';
import { shortcutOf } from './shortcuts.ts';
import type { ReportLine } from './switch-preview.ts';
import { NEXT_MESSAGE, previewOf } from './switch-preview.ts';
import { toolTimesOf } from './tool-times.ts';
import { totalsOf } from './totals.ts';
import { bounded, fitView, OVERVIEW, reveal, zoomAt } from './viewport.ts';

const t = createTranslator('en', en);

describe('branch dialog', () => {
  const source = { provider: 'a', model: 'm', thinking: 'medium', systemPrompt: null, tools: ['x', 'y'] } as Pick<
    BranchView,
    'provider' | 'model' | 'thinking' | 'systemPrompt' | 'tools'
  >;

  it('WEB-6: only what differs is asked for; the rest is inherited', () => {
    expect(changesOf(formOf(source), source)).toEqual({});
    expect(changesOf({ ...formOf(source), tools: ['y', 'x'] }, source)).toEqual({});
    expect(changesOf({ ...formOf(source), model: 'other ' }, source)).toEqual({ provider: 'a', model: 'other' });
    expect(
      changesOf(
        { ...formOf({ ...source, systemPrompt: 'be brief' }), systemPrompt: ' ' },
        { ...source, systemPrompt: 'be brief' },
      ),
    ).toEqual({ systemPrompt: null });
  });

  it('WEB-7: thinking alone changes nothing of what the model is told', () => {
    expect(altersContext(changesOf({ ...formOf(source), thinking: 'high' }, source))).toBe(false);
    expect(altersContext(changesOf({ ...formOf(source), tools: [] }, source))).toBe(true);
  });

  const line = (nodeId: string, role: ReportLine['role'], fidelity: ReportLine['fidelity']): ReportLine => ({
    nodeId,
    role,
    fidelity,
    reasons: [],
    estimatedTokens: 1,
    excerpt: '',
  });
  const report = [
    line('u1', 'user', 'verbatim'),
    line('a1', 'assistant', 'canonical'),
    line('u2', 'user', 'verbatim'),
    line('a2', 'assistant', 'dropped'),
    line(NEXT_MESSAGE, 'user', 'verbatim'),
  ];
  it.each([
    ['the whole history', {}, [2, 1, 1]],
    ['up to the fork', { fromNodeId: 'a1' }, [1, 1, 0]],
    ['up to the message that is answered again', { regenerateNodeId: 'a2' }, [2, 1, 0]],
  ])('WEB-7: the preview counts what is inherited: %s', (_, point, counts) => {
    const { survives, becomesText, vanishes } = previewOf(report, point);
    expect([survives, becomesText, vanishes]).toEqual(counts);
  });
});

describe('context panel', () => {
  const request = {
    method: 'POST',
    url: 'https://host/v1',
    headers: { 'content-type': 'application/json' },
    body: `{"text":"it's"}`,
  };

  it('WEB-11: the command for a shell has no key, only its place', () => {
    expect(curlOf(request, keyHeaders('anthropic-messages'))).toContain('"x-api-key: $API_KEY"');
    expect(curlOf(request, keyHeaders('gemini'))).toContain('"x-goog-api-key: $API_KEY"');
    expect(curlOf(request, keyHeaders('openai-chat'))).toContain('"authorization: Bearer $API_KEY"');
  });

  it('WEB-11: a quote in the body cannot end the argument', () => {
    expect(curlOf(request, keyHeaders('openai-chat'))).toContain(`--data-raw '{"text":"it'\\''s"}'`);
  });

  it('WEB-10: a reason without words is shown as it came', () => {
    expect(reasonText('model_break', t)).toBe(en['reason.model_break']);
    expect(reasonText('brand_new', t)).toBe('brand_new');
  });
});

describe('details panel', () => {
  const secret = 'sEcReT-signature';
  it.each([
    [{ type: 'thinking', thinking: 'hm', signature: secret }],
    [{ type: 'thinking_signature', signature: secret }],
    [{ type: 'redacted_thinking', data: secret }],
    [{ type: 'new_kind', nested: [{ thoughtSignature: secret, encrypted_content: secret }] }],
  ])('WEB-4: of a signature only the length is shown: %o', (block) => {
    const shown = JSON.stringify(describeBlock(block, t));
    expect(shown).not.toContain(secret);
    expect(shown).toContain(String(secret.length));
  });

  it('WEB-4: blocks that are no part of the conversation are marked as hidden', () => {
    const hidden = [
      { type: 'text', text: 'a' },
      { type: 'new_kind' },
      { type: 'thinking_signature', signature: 's' },
    ].map((block) => describeBlock(block, t).isHidden);
    expect(hidden).toEqual([false, true, true]);
  });

  const call = (cost: number | null, usage: CallView['usage']): CallView => ({
    id: '1',
    nodeId: null,
    provider: 'p',
    model: 'm',
    status: 'complete',
    startedAt: '2026-01-01T00:00:00Z',
    firstByteAt: null,
    endedAt: '2026-01-01T00:00:02Z',
    usage,
    cost,
    money: null,
    errorCode: null,
  });
  it('WEB-5: a total is unknown, not smaller, where a part of it is unknown', () => {
    const calls = [call(1, { inputTokens: 3 }), call(null, null)];
    expect(totalsOf(calls)).toMatchObject({ inputTokens: 3, outputTokens: null, cost: null, durationMs: 4000 });
    expect(totalsOf([call(1, {}), call(2, {})]).cost).toBe(3);
  });
});

describe('tool calls', () => {
  it('WEB-5: a call took from the message that asked for it to its result', () => {
    const node = (role: 'assistant' | 'tool', second: number, toolCallId: string | null = null) => ({
      id: `${role} ${second}`,
      role,
      toolCallId,
      createdAt: `2026-01-01T00:00:0${second}Z`,
    });
    const times = toolTimesOf([node('assistant', 1), node('tool', 2, 'a'), node('tool', 4, 'b'), node('assistant', 5)]);
    expect([...times]).toEqual([
      ['a', 1000],
      ['b', 3000],
    ]);
  });

  it('WEB-136: the time that is stored with a result counts, also where the call had to ask', () => {
    const createdAt = '2026-01-01T00:00:00Z';
    const asked = { id: 'a', role: 'assistant', toolCallId: null, createdAt } as const;
    const result = { id: 'r', role: 'tool', toolCallId: 'c', createdAt: '2026-01-01T00:01:00Z' } as const;
    expect([...toolTimesOf([asked, { ...result, toolMs: 40 }], new Set(['a']))]).toEqual([['c', 40]]);
    expect([...toolTimesOf([asked, result], new Set(['a']))]).toEqual([]);
  });
});

describe('diagnostics', () => {
  it('WEB-14: one row per model, the busiest first', () => {
    const rows = availabilityRows([
      { provider: 'p', model: 'a', availability: 'full', count: 1 },
      { provider: 'p', model: 'b', availability: 'summary', count: 3 },
      { provider: 'p', model: 'b', availability: 'none', count: 2 },
    ]);
    expect(rows.map(({ model, total }) => [model, total])).toEqual([
      ['b', 5],
      ['a', 1],
    ]);
  });

  it('WEB-14: totals are the sums of all rows', () => {
    const row = {
      provider: 'p',
      model: 'm',
      status: 'complete',
      errorCode: null,
      purpose: null,
      count: 2,
      inputTokens: 10,
      outputTokens: 5,
      reasoningTokens: 1,
      cost: 0.5,
    };
    expect(callTotals([row, row])).toEqual({
      count: 4,
      inputTokens: 20,
      outputTokens: 10,
      reasoningTokens: 2,
      cost: 1,
    });
    expect(callTotals([row, { ...row, cost: null }]).cost).toBeNull();
  });
});

describe('keyboard', () => {
  const press = (key: string, more: Partial<Parameters<typeof shortcutOf>[0]> = {}) => ({
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...more,
  });

  it('WEB-15: shortcuts of one character mean themselves while somebody types', () => {
    expect(shortcutOf(press('/'), false)).toBe('composer');
    expect(shortcutOf(press('/'), true)).toBeNull();
    expect(shortcutOf(press('?'), false)).toBe('help');
    expect(shortcutOf(press('k', { ctrlKey: true }), true)).toBe('palette');
    expect(shortcutOf(press('K', { metaKey: true }), false)).toBe('palette');
    expect(shortcutOf(press('¡', { code: 'Digit1', altKey: true }), true)).toBe('graph');
    expect(shortcutOf(press('k'), false)).toBeNull();
  });
});

describe('viewport of the tree', () => {
  it('WEB-8: zooming keeps the point under the pointer', () => {
    const before = { x: 10, y: 20, k: 1 };
    const after = zoomAt(before, 1.5, { x: 100, y: 80 });
    expect((100 - after.x) / after.k).toBeCloseTo((100 - before.x) / before.k);
    expect((80 - after.y) / after.k).toBeCloseTo((80 - before.y) / before.k);
  });

  it('WEB-8: a tree that does not fit is shown from its end', () => {
    const view = fitView({ width: 100, height: 30_000 }, { width: 300, height: 600 });
    expect(30_000 * view.k + view.y).toBeLessThanOrEqual(600);
  });

  it('WEB-89: labels of 12 pixels are drawn with at least 10, unless an overview is asked for', () => {
    const [content, frame] = [
      { width: 300, height: 800 },
      { width: 300, height: 500 },
    ];
    expect(fitView(content, frame).k * 12).toBeGreaterThanOrEqual(10);
    expect(fitView(content, frame, OVERVIEW).k * content.height).toBeLessThanOrEqual(frame.height);
  });

  it('WEB-9: what has the keyboard is brought into the frame', () => {
    const view = reveal({ x: 0, y: 0, k: 1 }, { width: 300, height: 600 }, { x: 20, y: 900 });
    expect(900 * view.k + view.y).toBeLessThanOrEqual(600);
  });
});

describe('catalogue', () => {
  it('WEB-16: every sentence exists in both languages and names the same values', () => {
    const values = (text: string): readonly string[] =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted();
    for (const [key, text] of Object.entries(en)) {
      expect([key, values(zh[key as keyof typeof en])]).toEqual([key, values(text)]);
    }
  });
});

describe('composer', () => {
  it('WEB-2: what was pasted is sent below what was written, unchanged', () => {
    expect(joinDraft(' question ', ['  long\ntext '])).toBe('question\n\n  long\ntext ');
    expect(joinDraft('', ['long'])).toBe('long');
  });
});

describe('small things', () => {
  it('WEB-85: the graph cannot be moved out of its frame', () => {
    const [content, frame] = [
      { width: 200, height: 1_000 },
      { width: 300, height: 400 },
    ];
    expect(bounded({ x: 20, y: -300, k: 1 }, content, frame)).toEqual({ x: 20, y: -300, k: 1 });
    expect(bounded({ x: -9_000, y: 9_000, k: 0.5 }, content, frame)).toEqual({ x: -52, y: 352, k: 0.5 });
    expect(bounded({ x: 9_000, y: -9_000, k: 1 }, content, frame)).toEqual({ x: 252, y: -952, k: 1 });
  });

  it('WEB-180: a browser that names its language in another way is understood; one that is none is left out', () => {
    expect(localeOf('en', ['en-US@posix'])).toBe('en-US');
    expect(localeOf('zh', ['zh_CN.UTF-8'])).toBe('zh-CN');
    expect(localeOf('en', ['C', '', 'en-GB'])).toBe('en-GB');
    expect(formatTime(new Date().toISOString(), localeOf('en', ['en-US@posix']))).toMatch(/\d/);
  });

  it('WEB-86: times are those of the reader’s country, and another year is named', () => {
    expect(localeOf('en', ['de-DE', 'en-GB', 'en-US'])).toBe('en-GB');
    expect(localeOf('zh', ['en-GB'])).toBe('zh-CN');
    const now = new Date();
    now.setHours(15, 4);
    expect(formatTime(now.toISOString(), 'en-GB')).toBe('15:04');
    expect(formatTime(now.toISOString(), 'en-US')).toMatch(/^03:04\sPM$/);
    const earlier = new Date(now.getFullYear() - 2, 4, 6, 12);
    expect(formatTime(earlier.toISOString(), 'en-GB')).toContain(String(earlier.getFullYear()));
    const thisYear = new Date(now.getFullYear(), now.getMonth() === 0 ? 1 : 0, 6, 12);
    expect(formatTime(thisYear.toISOString(), 'en-GB')).not.toContain(String(now.getFullYear()));
  });

  it('WEB-87: errors have no ids, and those of a provider that Bough knows are in the reader’s language', () => {
    expect(withoutIds('There is no node "0b0f86a6-7a3a-4c0f-8f0e-0e7d2b0a5a11" here.')).toBe('There is no node here.');
    const chinese = createTranslator('zh', zh);
    expect(replyError('overloaded', chinese)).toBe(zh['reply.error.overloaded']);
    expect(replyError('stopped', chinese)).toBeNull();
    expect(errorCodeOf([{ errorCode: 'overloaded' }, { errorCode: null }])).toBeNull();
  });
});
