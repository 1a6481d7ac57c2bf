import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { zh } from './i18n/zh.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  act,
  actFromMenu,
  branchLink,
  button,
  composer,
  ended,
  eventually,
  onBranch,
  openConversation,
  openPanel,
  openProject,
  renderedText,
  replyText,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: en['palette.title'] }).waitFor();
  await page.keyboard.type(words);
  await page.getByRole('option', { selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

/** What has the keyboard focus, in the words of a screen reader. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
  });
}

describe('without a mouse', () => {
  it('WEB-15: a project is made, a message sent, a reply regenerated and a branch made', async () => {
    const page = await stage.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await command(page, 'new project');
    await page.waitForURL(/\/b\/main$/);
    await composer(page).waitFor();
    // The focus is in the composer of the new project; Esc leaves it, and the shortcut leads back.
    await eventually(() => focused(page)).toBe(en['composer.label']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await eventually(() => focused(page)).toBe(en['composer.label']);
    await page.keyboard.type('typed, not clicked');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('on two lines');
    await page.keyboard.press('Enter');
    await ended(page, 1);
    expect(await userMessage(page, 1).locator('.user-text').innerText()).toBe('typed, not clicked\non two lines');
    await command(page, 'regenerate');
    await turn(page, 1).locator('.reply').getByRole('group', { name: '2 of 2' }).waitFor();
    await command(page, 'new branch');
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.waitFor();
    await page.keyboard.type('by hand');
    await page.keyboard.press('Enter');
    await onBranch(page, 'by hand');
  });

  it('WEB-17: focus goes through the page in the order in which it is read, and a dialog gives it back', async () => {
    const { page } = await openConversation(stage, ['/sim say hello']);
    await page.evaluate(() =>
      document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
    );
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe(en['app.skip']);
    const order: string[] = [];
    for (let presses = 0; presses < 60 && order.at(-1) !== en['composer.label']; presses += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    const places: readonly string[] = [
      en['projects.new'],
      en['projects.search'],
      en['settings.title'],
      en['conversation.label'],
      en['reply.regenerate'],
      en['composer.label'],
    ];
    expect(order.filter((name, at) => places.includes(name) && order.indexOf(name) === at)).toEqual(places);
    const regenerate = button(turn(page, 1), en['reply.branch']).last();
    await regenerate.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => focused(page)).toBe(en['reply.branch']);
  });

  it('WEB-9: the tree is walked with the arrow keys', async () => {
    const { page } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const tree = (await openPanel(page, 'graph')).getByRole('tree');
    await tree.locator('[tabindex="0"]').focus();
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/node=/);
    await userMessage(page, 1).waitFor();
    await eventually(() => userMessage(page, 1).getAttribute('data-highlighted')).toBe('');
  });
});

describe('how it looks', () => {
  it('WEB-27: on a screen of 360 pixels everything is reachable and nothing is wider than the screen', async () => {
    const { page } = await openConversation(
      stage,
      ['/sim markdown'],
      {},
      { viewport: { width: 360, height: 640 }, hasTouch: true },
    );
    const fits = async (): Promise<boolean> =>
      page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect(await fits()).toBe(true);
    await composer(page).fill('/sim say narrow');
    await button(page, en['composer.send']).tap();
    await ended(page, 2);
    await replyText(page, 2).getByText('narrow', { exact: true }).waitFor();
    await button(page, en['sidebar.toggle']).click();
    await branchLink(page, 'main').click();
    await page.getByRole('navigation', { name: en['projects.title'] }).waitFor({ state: 'detached' });
    await openPanel(page, 'context');
    expect(await fits()).toBe(true);
    await button(page, en['dialog.close']).click();
    await page.getByRole('tab').first().waitFor({ state: 'detached' });
    expect(await fits()).toBe(true);
  });

  it('WEB-28: follows the system into the dark, and a choice of one’s own is remembered', async () => {
    const { page } = await openProject(stage, {}, { colorScheme: 'dark' });
    const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.goto(`${stage.server.url}/settings`);
    await page.getByRole('radio', { name: en['settings.theme.light'] }).check({ force: true });
    await eventually(background).not.toBe(dark);
    await page.reload();
    await page.getByRole('heading', { name: en['settings.title'] }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });

  it.each([
    ['the system is', {}],
    ['somebody chose it', { theme: 'dark' }],
  ])('WEB-28: where %s dark, the page is so from its first moment, before its program is there', async (_, chosen) => {
    const page = await stage.open('/trash', { colorScheme: 'theme' in chosen ? 'light' : 'dark' });
    await page.evaluate((text) => localStorage.setItem('bough.preferences', text), JSON.stringify(chosen));
    // Never answered.
    await page.route('**/assets/*.js', () => undefined);
    await page.goto(`${stage.server.url}/trash`, { waitUntil: 'commit' });
    await eventually(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(25, 24, 22)',
    );
  });

  it('WEB-28: the bar of a phone’s browser follows the choice, not the system', async () => {
    const page = await stage.open('/settings', { colorScheme: 'dark' });
    const bars = () =>
      page.locator('meta[name="theme-color"]').evaluateAll((all) => all.map((bar) => bar.getAttribute('content')));
    await eventually(bars).toEqual(['#191816', '#191816']);
    await page.getByRole('radio', { name: en['settings.theme.light'] }).check({ force: true });
    await eventually(bars).toEqual(['#faf8f4', '#faf8f4']);
  });

  it('WEB-17: a reply is announced when it has come, and not when its conversation is opened later', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const told = page.locator('[aria-live="polite"]');
    expect(await told.innerText()).toBe('');
    await send(page, '/sim say two');
    await eventually(() => told.innerText()).toBe(en['conversation.done']);
  });

  it('WEB-17: a reply that is over before the page hears that it runs is announced, too', async () => {
    const { client } = stage.server;
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await page.route(/\/history\?/, async (route) => {
      const newest = async () => (await client.history(projectId, { ref: 'main' })).groups.at(-1);
      await eventually(async () => (await newest())?.user?.content).toBe('/sim say two');
      await eventually(async () => (await newest())?.status).toBe('complete');
      await route.continue();
    });
    await send(page, '/sim say two');
    await eventually(() => page.locator('[aria-live="polite"]').innerText()).toBe(en['conversation.done']);
  });

  it('WEB-16: speaks Chinese after a choice, also after a reload, and says so to the browser', async () => {
    const { page, projectId } = await openProject(stage);
    await page.goto(`${stage.server.url}/settings`);
    await page.getByRole('radio', { name: en['settings.language.zh'] }).check({ force: true });
    await page.getByRole('heading', { name: zh['settings.title'] }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.goto(`${stage.server.url}/p/${projectId}/b/main`);
    const box = page.getByRole('textbox', { name: zh['composer.label'], exact: true });
    await box.fill('/sim say 你好');
    await box.press('Enter');
    await ended(page, 1);
    expect(await renderedText(page, 1)).toBe('你好');
  });
});

describe.each(['light', 'dark'] as const)('axe finds nothing (%s)', (colorScheme) => {
  const MESSAGES = ['/sim markdown', 'hello /sim redacted', '/sim fault 400 /sim say never'];

  it('WEB-17: in a conversation, its panels, menus and dialogs', async () => {
    const { page } = await openConversation(stage, MESSAGES, {}, { colorScheme });
    await turn(page, 2).locator('.reasoning-toggle').first().click();
    await expectAccessible(page, 'conversation');
    for (const panel of ['graph', 'context', 'details'] as const) {
      await openPanel(page, panel);
      await page.locator('.side [aria-busy="true"]').waitFor({ state: 'detached' });
      await expectAccessible(page, panel);
    }
    await act(userMessage(page, 2), en['reply.edit']);
    await expectAccessible(page, 'edit');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: new RegExp(en['composer.switch']) }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: en['branch.model'] }).selectOption('sim-plain');
    await dialog.getByRole('heading', { name: en['branch.preview'] }).waitFor();
    await expectAccessible(page, 'branch dialog');
    await page.keyboard.press('Escape');
    await actFromMenu(page, turn(page, 2).locator('.reply-footer'), en['reply.raw']);
    await dialog.locator('pre').waitFor();
    await expectAccessible(page, 'raw response');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await expectAccessible(page, 'palette');
  });

  it('WEB-17: at home, in the settings, in diagnostics and in a comparison', async () => {
    const { project } = await stage.server.client.createProject({ thinking: 'medium' });
    const { client } = stage.server;
    await (await client.chat(project.id, { ref: 'main', message: 'hello' })).text();
    await client.createBranch(project.id, { name: 'side', fromRef: 'main' });
    await (await client.chat(project.id, { ref: 'side', message: '/sim say aside' })).text();
    const page = await stage.open('/', { colorScheme });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page, 'home');
    await page.goto(`${stage.server.url}/settings`);
    await page.getByRole('heading', { name: en['settings.providers'] }).waitFor();
    for (const provider of await page.locator('details.provider').all()) await provider.locator('summary').click();
    await expectAccessible(page, 'settings');
    await page.goto(`${stage.server.url}/diagnostics`);
    await page.getByRole('heading', { name: en['diagnostics.rejections'] }).waitFor();
    await expectAccessible(page, 'diagnostics');
    await page.goto(`${stage.server.url}/p/${project.id}/compare/main/side`);
    await page.getByText('aside', { exact: true }).waitFor();
    await expectAccessible(page, 'compare');
  });
});
