import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  act,
  button,
  composer,
  ended,
  eventually,
  openConversation,
  openProject,
  renderedText,
  reply,
  replyText,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

describe('asking about a passage', () => {
  /** Selects a word of the first reply, and returns the form that appears next to it. */
  async function mark(page: Page, word: string): Promise<Locator> {
    // Before its Markdown is rendered, the text is about to be replaced, and the selection with it.
    await renderedText(page, 1);
    await replyText(page, 1)
      .getByText(word, { exact: true })
      .dblclick({ position: { x: 10, y: 10 } });
    const form = page.getByRole('form', { name: en['selection.label'] });
    await form.waitFor();
    return form;
  }

  it('WEB-30: the question goes out on a branch from that message, with the words quoted', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say lichen', '/sim say two']);
    const form = await mark(page, 'lichen');
    await form.getByRole('textbox').fill('What is that?');
    await button(form, en['selection.ask']).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await ended(page, 2);
    expect(await userMessage(page, 2).locator('.user-text').innerText()).toBe('> lichen\n\nWhat is that?');
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(branches).toHaveLength(2);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups).toHaveLength(2);
  });

  it('WEB-30: without a question the words wait in the composer of the new branch', async () => {
    const { page } = await openConversation(stage, ['/sim say lichen']);
    const form = await mark(page, 'lichen');
    await button(form, en['selection.ask']).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).toBe('> lichen\n\n');
  });

  it('WEB-30: Escape takes the form away and leaves the conversation as it was', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say lichen']);
    const form = await mark(page, 'lichen');
    // Also where the keyboard is not in the form.
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect((await stage.server.client.listBranches(projectId)).branches).toHaveLength(1);
  });
});

describe('copying', () => {
  it.each([
    ['the clipboard of the browser', false],
    ['what pages of plain HTTP have', true],
  ])('WEB-25: a reply is copied as it was written, with %s', async (_, isPlain) => {
    const { page } = await openConversation(stage, ['/sim say **copied** as written']);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    if (isPlain) await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
    expect(await page.evaluate(() => 'clipboard' in navigator)).toBe(!isPlain);
    await act(reply(page, 1), en['reply.copy']);
    await eventually(async () => {
      await composer(page).fill('');
      await page.keyboard.press('Control+V');
      return composer(page).inputValue();
    }).toBe('**copied** as written');
  });
});

describe('the Enter key', () => {
  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

  it('WEB-783: on a phone, whose keyboard has no Shift + Enter, it begins a line, and the button sends', async () => {
    const { page, projectId } = await openProject(stage, {}, PHONE);
    await composer(page).tap();
    await page.keyboard.type('/sim say one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    expect(await composer(page).inputValue()).toBe('/sim say one\ntwo');
    await button(page, en['composer.send']).tap();
    await ended(page, 1);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups.map(({ user }) => user?.content)).toEqual(['/sim say one\ntwo']);
    // Whoever has a keyboard beside the screen has this one.
    await composer(page).fill('/sim say again');
    await page.keyboard.press('Control+Enter');
    await ended(page, 2);
    await page.goto(stage.server.url);
    await composer(page).tap();
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('first\n');
  });

  it('WEB-784: while a character is composed it sends nothing and opens nothing, also as Safari tells it', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    const composing = { key: 'Enter', code: 'Enter', keyCode: 229 };
    await composer(page).fill('ni');
    await composer(page).dispatchEvent('keydown', composing);
    expect(await composer(page).inputValue()).toBe('ni');
    await stage.server.client.updateProject(projectId, { name: 'Where Enter led once' });
    await stage.server.client.createProject({ name: 'Found by its name' });
    const box = page.getByRole('searchbox', { name: en['projects.search'] });
    await box.fill('Found by its');
    await page.getByRole('link', { name: 'Found by its name' }).waitFor();
    await page.getByRole('link', { name: 'Where Enter led once' }).waitFor({ state: 'detached' });
    await box.dispatchEvent('keydown', composing);
    expect(new URL(page.url()).pathname).toContain(projectId);
    await box.press('Enter');
    await page.waitForURL((url) => !url.pathname.includes(projectId));
  });
});

describe('pasting', () => {
  const LONG = Array.from({ length: 400 }, (_, line) => `${line}\t  {"key": "välue ${line}"}  `).join('\n');

  async function paste(page: Page, text: string): Promise<void> {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((value) => navigator.clipboard.writeText(value), text);
    await composer(page).focus();
    await page.keyboard.press('Control+V');
  }
  const pasted = (page: Page): Locator => page.getByTitle(en['composer.pasted.expand'], { exact: true });

  it('WEB-2: a long text becomes a piece of its own and is sent unchanged below what was written', async () => {
    const { page, projectId } = await openProject(stage);
    await paste(page, LONG);
    await pasted(page).waitFor();
    expect(await pasted(page).innerText()).toContain(LONG.length.toLocaleString('en'));
    expect(await composer(page).inputValue()).toBe('');
    await page.keyboard.type('Explain this');
    await page.keyboard.press('Enter');
    await ended(page, 1);
    expect(await pasted(page).count()).toBe(0);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[0]?.user?.content).toBe(`Explain this\n\n${LONG}`);
  });

  it('WEB-2: a long text can be put into the message, or taken away again', async () => {
    const { page } = await openProject(stage);
    await paste(page, LONG);
    await pasted(page).click();
    expect(await composer(page).inputValue()).toBe(LONG);
    expect(await pasted(page).count()).toBe(0);
    await composer(page).fill('');
    await paste(page, LONG);
    await button(page, en['composer.pasted.remove']).click();
    expect(await pasted(page).count()).toBe(0);
    expect(await button(page, en['composer.send']).isDisabled()).toBe(true);
  });

  it('WEB-2: a long text that was not sent survives a reload', async () => {
    const { page } = await openProject(stage);
    await paste(page, LONG);
    await pasted(page).waitFor();
    await page.reload();
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).toBe(LONG);
  });

  it('WEB-2: a short text is pasted as it is', async () => {
    const { page } = await openProject(stage);
    await paste(page, 'two\nlines');
    expect(await composer(page).inputValue()).toBe('two\nlines');
    expect(await pasted(page).count()).toBe(0);
  });
});
