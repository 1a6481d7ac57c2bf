import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  act,
  ask,
  branchLink,
  button,
  composer,
  ended,
  eventually,
  openConversation,
  openProject,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

/** The same branch in two tabs of one browser. */
async function openTwice(): Promise<readonly [Page, Page]> {
  const { page } = await openProject(stage);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await composer(other).waitFor();
  return [page, other];
}

const value = (page: Page) => eventually(() => composer(page).inputValue());

describe('one draft in two tabs', () => {
  it('WEB-134: a tab that was not touched follows, and what is sent in one is gone in the other', async () => {
    const [one, two] = await openTwice();
    await composer(one).fill('half a sentence');
    await value(two).toBe('half a sentence');
    await composer(two).pressSequentially(' and its end');
    await value(one).toBe('half a sentence and its end');
    await composer(two).press('Enter');
    await ended(two, 1);
    await value(one).toBe('');
    await value(two).toBe('');
  });

  it('WEB-134: a tab that is slow to follow says nothing of its own, and ends with the newest words', async () => {
    const [one, two] = await openTwice();
    await composer(two).fill('.');
    await value(one).toBe('.');
    const last = await two.evaluate(() => {
      const key = Object.keys(localStorage).find((each) => each.startsWith('bough.draft.')) ?? '';
      const channel = new BroadcastChannel(key);
      const tell = channel.postMessage.bind(channel);
      const heard: unknown[] = [];
      channel.onmessage = ({ data }) => heard.push(data);
      Object.assign(window, { heard });
      let from = '.';
      for (let i = 0; i < 300; i += 1) {
        tell({ tab: 'other', from, text: `${from}x` });
        from += 'x';
      }
      return from;
    });
    await value(one).toBe(last);
    expect(await two.evaluate(() => Reflect.get(window, 'heard'))).toEqual([]);
  });

  it('WEB-134: a tab with words of its own keeps them, offers those of the other, and loses neither', async () => {
    const [one, two] = await openTwice();
    // Written while the other one cannot hear it, like a tab that was asleep.
    await two.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => undefined;
    });
    await composer(two).fill('written here');
    await composer(one).fill('written there');
    await two.getByText(en['draft.other']).waitFor();
    expect(await composer(two).inputValue()).toBe('written here');
    await expectAccessible(two, 'the draft of another tab');
    await two.reload();
    await value(two).toBe('written here');
    await value(one).toBe('written there');
    await button(two, en['draft.other.take']).click();
    await value(two).toBe('written there');
  });

  it('WEB-134: sending in one tab leaves different words in the other', async () => {
    const [one, two] = await openTwice();
    await composer(one).fill('first');
    await value(two).toBe('first');
    await one.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => undefined;
    });
    await composer(one).fill('first, but longer');
    await composer(two).press('Enter');
    await ended(two, 1);
    expect(await composer(one).inputValue()).toBe('first, but longer');
    await one.reload();
    await value(one).toBe('first, but longer');
  });

  it('WEB-134: two tabs that change the same message keep their own changes', async () => {
    const { page: one } = await openConversation(stage, ['a question']);
    const two = await one.context().newPage();
    await two.goto(one.url());
    await ended(two, 1);
    for (const tab of [one, two]) await act(userMessage(tab, 1), en['reply.edit']);
    const field = (tab: Page) => tab.getByRole('textbox', { name: en['edit.title'] });
    await field(one).fill('changed here');
    await field(two).fill('changed there');
    await one.reload();
    await button(userMessage(one, 1), en['edit.again']).click();
    expect(await field(one).inputValue()).toBe('changed here');
    await field(one).press('Control+Enter');
    await ended(one, 1);
    await two.reload();
    await button(userMessage(two, 1), en['edit.again']).click();
    expect(await field(two).inputValue()).toBe('changed there');
  });
});

describe('what was chosen for the page', () => {
  it('WEB-28: is followed in every tab, and undone by nothing that another tab remembers', async () => {
    const [one, two] = await openTwice();
    const dark = (page: Page) => eventually(() => page.locator('html').getAttribute('data-theme'));
    await one.goto(`${stage.server.url}/settings`);
    await one.getByRole('radio', { name: en['settings.theme.dark'] }).check({ force: true });
    await dark(one).toBe('dark');
    await dark(two).toBe('dark');
    await one.getByRole('checkbox', { name: en['settings.developer'] }).check();
    await button(two, en['panel.toggle']).click();
    await one.reload();
    await one.getByRole('checkbox', { name: en['settings.developer'], checked: true }).waitFor();
    await dark(one).toBe('dark');
  });
});

describe('many tabs', () => {
  /** Pretends that nobody looks at the tab: from now on, and after a reload. */
  async function hide(page: Page): Promise<void> {
    const away = (): void => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    };
    await page.addInitScript(away);
    await page.evaluate(away);
  }
  const show = (page: Page): Promise<void> =>
    page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });

  it('WEB-786: nine of them leave the one that is looked at its connections, and are told what happens', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    const { project: other } = await stage.server.client.createProject({ name: 'Elsewhere' });
    const others: Page[] = [];
    for (let number = 0; number < 8; number += 1) {
      const tab = await page.context().newPage();
      await hide(tab);
      await tab.goto(page.url());
      await ended(tab, 1);
      others.push(tab);
    }
    await ask(page, '/sim say two', 2);
    // The first one listens for all, whether it is looked at or not.
    await hide(page);
    await (await stage.server.client.chat(other.id, { ref: 'main', message: '/sim say done' })).text();
    for (const tab of [page, ...others]) await eventually(() => tab.title()).toMatch(/^\(1\) /);
    const heirs = others.map((tab) => tab.waitForResponse((response) => response.url().includes('/api/watch')));
    await page.close();
    await Promise.race(heirs);
    const second = others[1] ?? page;
    await (await stage.server.client.chat(projectId, { ref: 'main', message: '/sim say three' })).text();
    await eventually(() => second.title()).toMatch(/^\(2\) /);
    await show(second);
    await ended(second, 3);
    await eventually(() => second.title()).toMatch(/^\(1\) /);
  });

  it('WEB-786: one that is looked at again has what changed meanwhile', async () => {
    const [, two] = await openTwice();
    const stopped = two.waitForEvent('requestfailed', (request) => request.url().includes('/api/watch'));
    const projectId = new URL(two.url()).pathname.split('/')[2] ?? '';
    await hide(two);
    await stopped;
    await stage.server.client.createBranch(projectId, { name: 'made meanwhile' });
    await show(two);
    await branchLink(two, 'made meanwhile').waitFor();
  });
});
