import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { zh } from './i18n/zh.ts';
import { expectAccessible } from './testing/axe.ts';
import { turn } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

type Block = { readonly type: string; readonly [key: string]: unknown };

const A = 'https://trees.example/oaks?x=1';
const B = 'https://elms.example/';
const search = (id: string, query: string, sources: readonly unknown[]): readonly Block[] => [
  { type: 'server_tool_use', id, name: 'web_search', input: { query } },
  { type: 'web_search_tool_result', tool_use_id: id, content: sources },
];
const found = (url: unknown, title: string) => ({ type: 'web_search_result', url, title });
const cited = (text: string, url: string, title: string): Block => ({
  type: 'text',
  text,
  citations: [{ type: 'web_search_result_location', url, title, cited_text: 'so' }],
});
const REPLY: readonly Block[] = [
  ...search('1', 'how old are oaks', [found(A, 'Oaks'), found('javascript:alert(1)', 'A trap')]),
  ...search('2', 'and elms', [found(B, 'Elms')]),
  { type: 'text', text: 'Oaks live **long' },
  cited(' lives.**', A, 'Oaks'),
  cited(' So do elms: `sudo elm`', B, 'Elms'),
  { type: 'text', text: '.\n' },
];

let imported = 0;

/** A conversation whose reply has these blocks, as a provider sent them to another program. */
async function openReply(content: readonly Block[], options: Parameters<typeof stage.open>[1] = {}): Promise<Page> {
  const { client } = stage.server;
  imported += 1;
  const title = `Imported ${imported}`;
  const messages = [
    { role: 'user', content: title },
    { role: 'assistant', content },
  ];
  await (await client.importFile(new TextEncoder().encode(JSON.stringify({ title, messages })))).text();
  const { projects } = await client.listProjects({ limit: 50 });
  const id = projects.find(({ name }) => name === title)?.id ?? '';
  const [branch] = (await client.listBranches(id)).branches;
  const page = await stage.open(`/p/${id}/b/${branch?.name ?? ''}`, options);
  await turn(page, 1).locator('.reply-footer').waitFor();
  return page;
}

const summary = (page: Page, name: string) => page.locator('.provider-tool summary', { hasText: name });

describe('what the provider did', () => {
  it('WEB-152: searches are one line, which opens to queries and sources by keyboard', async () => {
    const page = await openReply(REPLY);
    const line = summary(page, 'Searched the web: 2 queries, 3 sources');
    await line.focus();
    await page.keyboard.press('Enter');
    const body = page.locator('.provider-tool .tool-body');
    await body.getByText('how old are oaks').waitFor();
    expect(await body.getByRole('link').allTextContents()).toEqual(['Oaks', 'Elms']);
    // An address that would run is a name and nothing else.
    await body.getByText('A trap').waitFor();
    expect(await body.locator('li', { hasText: 'A trap' }).getByRole('link').count()).toBe(0);
    await expectAccessible(page, 'an opened search');
  });

  it('WEB-153: citations are numbers in the text that open their sources safely, and a list below the reply', async () => {
    const page = await openReply(REPLY);
    const prose = turn(page, 1).locator('.prose');
    const first = prose.getByRole('link', { name: 'Source 1: Oaks' });
    await first.waitFor();
    expect(
      await first.evaluate((link) => link.getAttributeNames().map((name) => [name, link.getAttribute(name)])),
    ).toEqual(
      expect.arrayContaining([
        ['href', A],
        ['target', '_blank'],
        ['rel', 'noopener noreferrer nofollow'],
        ['referrerpolicy', 'no-referrer'],
      ]),
    );
    // The emphasis across two blocks of the provider holds, and code stays as it is.
    expect(await prose.locator('strong').textContent()).toBe('long lives.1');
    expect(await prose.locator('code').textContent()).toBe('sudo elm');
    expect(await prose.locator('p').count()).toBe(1);
    const sources = turn(page, 1).getByRole('region', { name: 'Sources' });
    expect(await sources.getByRole('listitem').allTextContents()).toEqual(['Oakstrees.example', 'Elmselms.example']);
    // The numbers in the text mean nothing without those of the list.
    const numbered = sources.getByRole('listitem').first();
    expect(await numbered.evaluate((item) => getComputedStyle(item).listStyleType)).toBe('decimal');
    await expectAccessible(page, 'a reply with citations');
  });

  it('WEB-154: code, files, pictures, remote servers and errors are told', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const page = await openReply([
      {
        type: 'code_interpreter_call',
        status: 'completed',
        code: 'print(2)',
        outputs: [{ type: 'logs', logs: 'two' }],
      },
      { type: 'file_search_call', status: 'completed', queries: ['oaks'], results: [{ filename: 'oaks.md' }] },
      { type: 'image_generation_call', status: 'completed', revised_prompt: 'an oak at dusk', result: pixel },
      { type: 'mcp_call', server_label: 'trees', name: 'find', arguments: '{}', error: 'no oaks today' },
      { type: 'server_tool_use', id: 'x', name: 'web_fetch', input: { url: B } },
      { type: 'text', text: 'Done.' },
    ]);
    await summary(page, 'Ran code').click();
    await page.locator('.provider-tool pre', { hasText: 'two' }).waitFor();
    await summary(page, 'Searched files: 1 query, 1 file').click();
    await page.locator('.provider-tool code', { hasText: 'oaks.md' }).waitFor();
    await page.getByRole('img', { name: 'an oak at dusk' }).waitFor();
    const failed = summary(page, 'Used a remote server: trees › find');
    expect(await failed.locator('.badge').textContent()).toBe('failed');
    await failed.click();
    await page.getByText('It failed: no oaks today').waitFor();
    // Its result never came.
    expect(await summary(page, 'Read the web: 1 page').locator('.badge').textContent()).toBe('no result');
    await expectAccessible(page, 'all kinds of tools');
  });

  it('WEB-155: fits a narrow dark window in Chinese', async () => {
    const page = await openReply(REPLY, {
      viewport: { width: 390, height: 800 },
      colorScheme: 'dark',
      locale: 'zh-CN',
    });
    await summary(page, `${zh['provider.web_search']}：2 个查询，3 个来源`).click();
    await turn(page, 1).getByRole('region', { name: zh['sources.title'] }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectAccessible(page, 'a narrow dark window');
  });
});
