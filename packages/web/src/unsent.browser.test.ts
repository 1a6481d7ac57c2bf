import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  act,
  button,
  composer,
  ended,
  ENDLESS,
  eventually,
  manyWords,
  onBranch,
  openConversation,
  openProject,
  replyText,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const queue = (page: Page): Locator => page.getByRole('list', { name: en['composer.queued'] }).getByRole('listitem');

describe('messages that wait', () => {
  const sent = async (projectId: string): Promise<readonly (string | undefined)[]> =>
    (await stage.server.client.history(projectId, { ref: 'main' })).groups.map((group) => group.user?.content);

  it('WEB-70: survive a reload and go out in order, each as a turn of its own', async () => {
    const { page, projectId } = await openProject(stage);
    await send(page, ENDLESS);
    await replyText(page, 1).getByText('word3 ').waitFor();
    await send(page, '/sim say second');
    await send(page, '/sim say third');
    await eventually(() => queue(page).count()).toBe(2);
    await page.reload();
    await eventually(() => queue(page).count()).toBe(2);
    await button(page, en['composer.stop']).click();
    await ended(page, 3);
    expect(await sent(projectId)).toEqual([ENDLESS, '/sim say second', '/sim say third']);
    expect(await replyText(page, 3).innerText()).toBe('third');
    // A message leaves the queue once its turn is known here, which may be after a short reply has ended.
    await eventually(() => queue(page).count()).toBe(0);
  });

  it('WEB-70: are sent while another project is open', async () => {
    await stage.server.client.createProject({ name: 'meanwhile' });
    const { page, projectId } = await openProject(stage, { name: 'left behind' });
    await send(page, ENDLESS);
    await replyText(page, 1).getByText('word3 ').waitFor();
    await send(page, '/sim say second');
    await eventually(() => queue(page).count()).toBe(1);
    await page.getByRole('link', { name: 'meanwhile' }).first().click();
    await composer(page).waitFor();
    expect(await queue(page).count()).toBe(0);
    await stage.server.client.interrupt(projectId, { ref: 'main' });
    await eventually(() => sent(projectId)).toEqual([ENDLESS, '/sim say second']);
  });

  it('WEB-70: can be edited, and are not sent meanwhile', async () => {
    const { page, projectId } = await openProject(stage);
    await send(page, ENDLESS);
    await replyText(page, 1).getByText('word3 ').waitFor();
    await send(page, '/sim say secnd');
    await button(page, en['composer.queued.edit']).click();
    const field = queue(page).getByRole('textbox', { name: en['composer.queued.edit'] });
    await field.fill('/sim say second');
    await button(page, en['composer.stop']).click();
    await ended(page, 1);
    expect(await sent(projectId)).toHaveLength(1);
    await field.press('Enter');
    await ended(page, 2);
    expect(await sent(projectId)).toEqual([ENDLESS, '/sim say second']);
  });
});

describe('an edit that was not sent', () => {
  const field = (page: Page): Locator => page.getByRole('textbox', { name: en['edit.title'] });

  it('WEB-71: is kept by Esc and over a reload, and offered again', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await act(userMessage(page, 1), en['reply.edit']);
    await field(page).fill('/sim say two');
    await field(page).press('Escape');
    await userMessage(page, 1).getByText(en['edit.kept']).waitFor();
    await page.reload();
    await button(page, en['edit.again']).click();
    expect(await field(page).inputValue()).toBe('/sim say two');
    await field(page).press('Control+Enter');
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await ended(page, 1);
    expect(await replyText(page, 1).innerText()).toBe('two');
    await page.goBack();
    await onBranch(page, 'main');
    await ended(page, 1);
    expect(await page.getByText(en['edit.kept']).count()).toBe(0);
  });

  it('WEB-287: is gone on with behind its last word; its actions do not lie on the reply below', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], { provider: 'simulated', model: 'sim-plain' });
    await userMessage(page, 1).hover();
    const actions = await userMessage(page, 1).locator('.actions').boundingBox();
    const words = await replyText(page, 1).boundingBox();
    expect((actions?.y ?? 1e9) + (actions?.height ?? 0)).toBeLessThanOrEqual(words?.y ?? 0);
    await act(userMessage(page, 1), en['reply.edit']);
    await page.keyboard.type(' and two');
    expect(await field(page).inputValue()).toBe('/sim say one and two');
  });

  it('WEB-71: can be discarded, and an unchanged message is not offered', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await act(userMessage(page, 1), en['reply.edit']);
    await field(page).press('Escape');
    expect(await page.getByText(en['edit.kept']).count()).toBe(0);
    // The focus is on its button again.
    await page.keyboard.press('Enter');
    await field(page).fill('other');
    await field(page).press('Escape');
    await button(page, en['edit.discard']).click();
    expect(await page.getByText(en['edit.kept']).count()).toBe(0);
  });

  it('WEB-71: is still there, and open, after scrolling away and back', async () => {
    const long = `/sim say ${manyWords(300)}`;
    const { page } = await openConversation(
      stage,
      Array.from({ length: 14 }, () => long),
    );
    const last = turn(page, 14);
    await act(userMessage(page, 14), en['reply.edit']);
    await field(page).fill('half a thought');
    const scroll = (top: number): Promise<void> =>
      page.evaluate((to) => document.querySelector('.conversation')?.scrollTo(0, to), top);
    await eventually(async () => {
      await scroll(0);
      return last.count();
    }).toBe(0);
    await eventually(async () => {
      await scroll(1e9);
      return last.count();
    }).toBe(1);
    expect(await field(page).inputValue()).toBe('half a thought');
  });
});
