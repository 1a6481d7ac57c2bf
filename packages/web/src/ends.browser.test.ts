import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  ask,
  button,
  composer,
  ended,
  eventually,
  onBranch,
  openConversation,
  openProject,
  reply,
  send,
  signal,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

describe('a reply that ended early', () => {
  it('WEB-76: by its length says so, also after a reload, and can be continued', async () => {
    const { page, projectId } = await openProject(stage, { thinking: 'off' });
    await ask(page, '/sim max_tokens', 1);
    await reply(page, 1).getByText(en['reply.early.max_tokens']).waitFor();
    await page.reload();
    await reply(page, 1).getByText(en['reply.early.max_tokens']).waitFor();
    await button(reply(page, 1), en['reply.continue']).click();
    await ended(page, 2);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[1]?.user?.content).toBe(en['reply.early.continue']);
    expect(await button(reply(page, 1), en['reply.continue']).count()).toBe(0);
  });

  it.each([
    ['/sim refuse', 'reply.early.refusal'],
    ['/sim empty', 'reply.early.empty'],
  ] as const)('WEB-76: %s says what happened and offers another try', async (message, key) => {
    const { page } = await openProject(stage, { thinking: 'off' });
    await ask(page, message, 1);
    await reply(page, 1).getByText(en[key]).waitFor();
    await button(reply(page, 1).locator('.reply-state'), en['reply.retry']).waitFor();
  });

  it('WEB-76: one that is complete says nothing', async () => {
    const { page } = await openConversation(stage, ['/sim say all of it']);
    expect(await reply(page, 1).locator('.reply-state').count()).toBe(0);
  });
});

describe('a provider that asks to wait', () => {
  it('WEB-54: the seconds that are left count down on the screen, and are told once to whoever listens', async () => {
    const { page } = await openProject(stage);
    await send(page, '/sim fault 429 30 x1 /sim say after all');
    const told = page.locator('.live-reply .notice').getByRole('status');
    await told.waitFor();
    const [first, shown] = [await told.innerText(), page.locator('.live-reply .notice [aria-hidden="true"]')];
    const [before = '', after = ''] = en['waiting.limit'].split('{seconds}');
    expect(first.startsWith(before) && first.endsWith(after)).toBe(true);
    await eventually(() => shown.innerText()).not.toBe(first);
    expect(await told.innerText()).toBe(first);
    await button(page, en['composer.stop']).click();
    await reply(page, 1).getByText(en['reply.stopped']).waitFor();
  });
});

describe('the palette', () => {
  async function find(page: Page, typed: string): Promise<Locator> {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill(typed);
    return page.getByRole('option');
  }

  /** Keeps the palette's code on its way until what is returned is called. */
  async function holdPalette(page: Page): Promise<() => void> {
    const isLoading = signal();
    await page.route(/\/assets\/commands-/, async (route) => {
      await isLoading.given;
      await route.continue();
    });
    return isLoading.give;
  }

  it('WEB-77: finds what contains the words, and nothing else', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const options = await find(page, 'rename');
    await eventually(() => options.allInnerTexts()).toEqual([en['branches.rename'], en['palette.renameProject']]);
  });

  it('WEB-794: what is typed before it is loaded is what it looks for, and is in no message', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const load = await holdPalette(page);
    await composer(page).fill('a message');
    await page.keyboard.press('Control+K');
    await page.keyboard.type('rename br');
    await page.getByRole('dialog', { name: en['app.loading'] }).waitFor();
    expect(await composer(page).inputValue()).toBe('a message');
    load();
    await eventually(() => page.getByRole('option').allInnerTexts()).toEqual([en['branches.rename']]);
    await page.keyboard.type('x');
    const input = page.getByRole('combobox', { name: en['palette.title'] });
    expect(await input.inputValue()).toBe('rename brx');
    await page.keyboard.press('Escape');
    await page.keyboard.type(' that goes on');
    await eventually(() => composer(page).inputValue()).toBe('a message that goes on');
  });

  it('WEB-794: Enter before it is loaded does what is found first', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const load = await holdPalette(page);
    await composer(page).focus();
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Enter');
    await page.keyboard.type('rename br');
    await page.keyboard.press('Enter');
    load();
    await page.getByRole('dialog', { name: en['branches.rename'] }).waitFor();
    await page.keyboard.press('Escape');
    expect(await composer(page).inputValue()).toBe('');
  });

  it('WEB-794: an Enter that takes what was composed is none', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const load = await holdPalette(page);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('rename br');
    const early = page.getByRole('textbox', { name: en['app.loading'] });
    await early.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    load();
    await eventually(() => page.getByRole('option').allInnerTexts()).toEqual([en['branches.rename']]);
    await page.waitForTimeout(300);
    expect(await page.getByRole('option').count()).toBe(1);
  });

  it('WEB-40: the keyboard is back before the next key can be typed', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await composer(page).focus();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: en['palette.title'] }).waitFor();
    const focused = await page.evaluate(async () => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
      );
      // What follows at once, but nothing that waits for a timer: a busy page is late with those.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      return document.activeElement?.id;
    });
    expect(focused).toBe('composer');
  });

  it('WEB-794: Escape gives the keyboard back before it is loaded, too', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await page.route(/\/assets\/commands-/, () => undefined);
    await composer(page).focus();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('ren');
    await page.keyboard.press('Escape');
    await page.keyboard.type('here');
    await eventually(() => composer(page).inputValue()).toBe('here');
  });

  it('WEB-289: many branches bury nothing, and are compared by their names, not by ids', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    for (let number = 10; number < 40; number += 1)
      await stage.server.client.createBranch(projectId, { name: `try ${number}`, fromRef: 'main' });
    await page.reload();
    await ended(page, 1);
    const options = await find(page, '');
    await eventually(() => options.count()).toBeGreaterThan(20);
    expect(await options.filter({ hasText: 'try' }).count()).toBeLessThan(20);
    const input = page.getByRole('combobox', { name: en['palette.title'] });
    // Hexadecimal, as ids are: two digits of thirty ids would be found somewhere.
    await input.fill('compare 29');
    await eventually(() => options.allInnerTexts()).toEqual([en['palette.compare'].replace('{name}', 'try 29')]);
    await input.fill('trash');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/trash$/);
  });

  it('WEB-77: renames, compares, archives and deletes', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one'], { name: 'Old name' });
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await page.reload();
    await ended(page, 1);
    await find(page, 'rename project');
    await page.keyboard.press('Enter');
    const rename = page.getByRole('dialog', { name: en['palette.renameProject'] });
    await rename.getByRole('textbox').fill('New name');
    await button(rename, en['projects.rename']).click();
    await eventually(async () => (await stage.server.client.getProject(projectId)).project.name).toBe('New name');
    await eventually(() => page.title()).toContain('New name');
    await find(page, 'compare');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/compare\/main\/side$/);
    await page.goBack();
    await onBranch(page, 'main');
    await ended(page, 1);
    await find(page, 'archive');
    await page.keyboard.press('Enter');
    await eventually(async () => (await stage.server.client.getProject(projectId)).project.archived).toBe(true);
    await find(page, 'delete project');
    await page.keyboard.press('Enter');
    await button(page.getByRole('dialog', { name: en['projects.delete'] }), en['projects.delete']).click();
    await page.waitForURL((url) => url.pathname === '/');
  });
});

describe('settings', () => {
  it('WEB-78: show the default that a saved key brings', async () => {
    const page = await stage.open('/settings');
    const provider = page.locator('section', { hasText: en['settings.defaults'] }).locator('select').first();
    await eventually(() => provider.inputValue()).toMatch(/^simulated/);
    await page.locator('details.provider', { hasText: 'Anthropic' }).first().locator('summary').click();
    const form = page.locator('details.provider[open]');
    await form.getByLabel(en['settings.key'], { exact: true }).fill('sk-ant-test-key-that-is-never-sent');
    await button(form, en['settings.key.save']).click();
    const expected = async (): Promise<string> => (await stage.server.client.listProviders()).defaults.provider;
    await eventually(expected).not.toMatch(/^simulated/);
    await eventually(() => provider.inputValue()).toBe(await expected());
  });
});
