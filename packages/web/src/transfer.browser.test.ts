import { foreignConversations, foreignExports } from '@bough/testkit';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually, openConversation } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage({ limits: { importMaxBytes: 3_000_000 } });
const { chatGpt, claude } = foreignConversations;

const many = (count: number, prefix: string): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    ...chatGpt(),
    conversation_id: `${prefix}-${index}`,
    title: `${prefix} ${index}`,
  }));
const file = (content: unknown, name = 'conversations.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});

async function openImport(): Promise<Page> {
  const page = await stage.open('/');
  await page.getByRole('link', { name: en['import.open'] }).click();
  await page.getByText(en['import.drop']).waitFor();
  return page;
}

const choose = (page: Page, chosen: ReturnType<typeof file>): Promise<void> =>
  page.locator('input[type="file"]').setInputFiles(chosen);
const total = async (): Promise<number> => (await stage.server.client.listProjects({ limit: 1 })).total;

describe('importing in the page', () => {
  it('WEB-110: a file becomes projects, and a report says what was made, left out and already there', async () => {
    const page = await openImport();
    await expectAccessible(page, 'where a file is chosen');
    await choose(page, file([...many(3, 'Moon'), claude]));
    await page.getByRole('heading', { name: en['import.done'], exact: true }).waitFor();
    await page.getByText('4 new', { exact: true }).waitFor();
    await page.locator('.import-list li', { hasText: 'image_asset_pointer' }).getByText('Pictures').waitFor();
    await page.locator('.import-list li', { hasText: 'attachment' }).getByText('Attached files').waitFor();
    await expectAccessible(page, 'the report of an import');
    // The sidebar knows them at once.
    await page.getByRole('navigation').getByRole('link', { name: 'Moon 1' }).first().waitFor();
    await button(page, en['import.again']).click();
    await choose(page, file([...many(4, 'Moon'), claude]));
    await page.getByText('1 new · 4 already here', { exact: true }).waitFor();
    await page.locator('.import-list').getByRole('link', { name: 'Moon 3' }).click();
    await page.getByText('Gravity, mostly.', { exact: true }).waitFor();
  });

  it('WEB-110: a file can be dropped', async () => {
    const page = await openImport();
    const dropped = await page.evaluateHandle(
      (text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], 'conversations.json', { type: 'application/json' }));
        return transfer;
      },
      JSON.stringify(many(1, 'Dropped')),
    );
    await page.locator('.import-drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('1 new', { exact: true }).waitFor();
  });

  it('WEB-110: a torn file says what to do and writes nothing; what can be read is imported when that is asked for', async () => {
    const page = await openImport();
    const before = await total();
    await choose(page, file(JSON.stringify(many(3, 'Torn')).slice(0, -30)));
    await page.getByRole('alert').getByText(en['import.failed']).waitFor();
    await page.getByText(/record 3/).waitFor();
    await page.getByText(en['import.stopped.todo']).waitFor();
    expect(await total()).toBe(before);
    await expectAccessible(page, 'a file that cannot be read');
    await button(page, en['import.skip']).click();
    await page.getByText('2 new', { exact: true }).waitFor();
    await page.getByRole('heading', { name: en['import.problems'] }).waitFor();
    expect(await total()).toBe(before + 2);
  });

  it('WEB-270: exports of other chat programs arrive; what is not understood says what was seen in it', async () => {
    const page = await openImport();
    await page.getByText(/LibreChat, Open WebUI, Cherry Studio, TypingMind and SillyTavern/).waitFor();
    await choose(page, file({ theme: 'dark', users: [{ login: 'x' }] }, 'settings.json'));
    const alert = page.getByRole('alert');
    await alert.getByText(/an object with theme, users, and "users" holds a list of 1/).waitFor();
    await alert.getByText(en['import.unknown.todo']).waitFor();
    await choose(page, file([foreignExports.openWebUi()], 'chat-export.json'));
    await page.getByText('1 new', { exact: true }).waitFor();
    await page.locator('.import-list').getByRole('link', { name: 'Weather 0' }).click();
    await page.getByText('It is 3 °C.').waitFor();
  });

  it('WEB-110: a file that is too large is not even sent', async () => {
    const page = await openImport();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await choose(page, file(' '.repeat(3_000_001)));
    await page.getByRole('alert').getByText('at most 3 MB').waitFor();
    expect(sent).toEqual([]);
  });

  it('WEB-110: an import tells how far it is, goes on behind other pages, and can be cancelled', async () => {
    const page = await openImport();
    const before = await total();
    await choose(page, file(many(600, 'Many')));
    await page.getByText(/^Writing: \d+ conversations done\.$/).waitFor();
    expect(await page.getByRole('progressbar').isVisible()).toBe(true);
    await page.getByRole('link', { name: en['settings.title'], exact: true }).click();
    await page.getByRole('heading', { name: en['settings.providers'] }).waitFor();
    await page.goBack();
    await page.getByText(/^Writing: /).waitFor();
    await button(page, en['import.cancel']).click();
    await page.getByText(/conversations had been written and stay/).waitFor();
    const kept = await total();
    expect(kept).toBeGreaterThan(before);
    expect(kept).toBeLessThan(before + 600);
    await page.waitForTimeout(700);
    // What was being stored together when it was cancelled is stored.
    expect(await total()).toBeLessThanOrEqual(kept + 32);
  });

  it('WEB-110: a server that goes away in the middle is told apart from a bad file', async () => {
    stage.allow(/ERR_|Failed to load|failed:|answered 5/);
    const page = await openImport();
    await choose(page, file(many(400, 'Gone')));
    await page.getByText(/^Writing: /).waitFor();
    await stage.server.stop();
    await page.getByRole('alert').getByText(en['import.unreachable']).waitFor();
    await stage.server.start();
  });
});

describe('exporting in the page', () => {
  async function download(page: Page): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const [made] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: en['export.download'] }).click(),
    ]);
    return { name: made.suggestedFilename(), bytes: await readFile(await made.path()) };
  }

  it('WEB-111: a project is downloaded whole, and can be imported again', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say It goes out whole.'], {
      name: 'Out: “and” back',
    });
    await page.getByRole('button', { name: `${en['reply.more']}: Out: “and” back`, exact: true }).click();
    await page.getByRole('menuitem', { name: en['export.menu'] }).click();
    const dialog = page.getByRole('dialog', { name: en['export.title'] });
    await dialog.waitFor();
    await expectAccessible(page, 'what to export');
    const { name, bytes } = await download(page);
    expect(name).toBe('Out “and” back.zip');
    await dialog.waitFor({ state: 'detached' });
    await stage.server.client.deleteProject(projectId);
    await page.goto(`${stage.server.url}/import`);
    await page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'application/zip', buffer: bytes });
    await page.locator('.import-list').getByRole('link', { name: 'Out: “and” back' }).click();
    await page.locator('.reply').getByText('It goes out whole.').waitFor();
  });

  it('WEB-763: a dataset is chosen, counted with what would be left out, and downloaded', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say One.', '/sim say Two.'], { name: 'Data' });
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    await stage.server.client.annotateNode(projectId, groups[0]?.reply[0]?.id ?? '', { star: true });
    await page.getByRole('button', { name: `${en['reply.more']}: Data`, exact: true }).click();
    await page.getByRole('menuitem', { name: en['export.menu'] }).click();
    const dialog = page.getByRole('dialog', { name: en['export.title'] });
    await dialog.getByRole('radio', { name: new RegExp(en['export.dataset'].replaceAll(/[()]/g, '.')) }).check();
    const report = dialog.locator('.dataset-report');
    await report.getByText('Records: 1.').waitFor();
    await report.getByText(/^Left out of messages: reasoning \(\d+\)\.$/).waitFor();
    await expectAccessible(page, 'a dataset before it is downloaded');
    const field = (name: string) => dialog.getByRole('combobox', { name, exact: true });
    await field(en['dataset.shape']).selectOption('prompt-completion');
    await report.getByText('Records: 2.').waitFor();
    await field(en['export.reasoning']).selectOption('field');
    await dialog.getByRole('checkbox', { name: en['dataset.starred'] }).check();
    await report.getByText('Records: 1.').waitFor();
    await eventually(() => report.innerText()).toBe('Records: 1.');
    const { name, bytes } = await download(page);
    expect(name).toBe('Data prompt-completion.zip');
    expect(bytes.includes('manifest.json')).toBe(true);
    await dialog.waitFor({ state: 'detached' });
  });

  it('WEB-111: a branch is downloaded as a document, from its menu and from the palette', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say On paper.'], { name: 'Papers' });
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await page.getByRole('button', { name: `${en['reply.more']}: side`, exact: true }).click();
    await page.getByRole('menuitem', { name: en['export.menu'] }).click();
    const markdown = await download(page);
    expect(markdown.name).toBe('Papers (side).md');
    expect(markdown.bytes.toString()).toContain('On paper.');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(en['palette.export']);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: new RegExp(en['export.html'].replaceAll(/[()]/g, '.')) }).check();
    await page.getByRole('radio', { name: en['export.reasoning.none'] }).check({ force: true });
    const html = await download(page);
    expect(html.name).toBe('Papers.html');
    expect(html.bytes.toString()).not.toContain('<details>');
  });
});
