import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { act, branchLink, button, eventually, openConversation, turn, userMessage } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const SMALL = { viewport: { width: 1280, height: 720 } };
const BRANCHES = 300;

/** What is wrong with the items of the menu that is open: outside of the window, or with an icon taller than a line. */
async function wrongItems(menu: Locator): Promise<readonly string[]> {
  return menu.evaluate((element) =>
    Array.from(element.querySelectorAll<HTMLElement>('.menu-item')).flatMap((item) => {
      item.scrollIntoView({ block: 'nearest' });
      const { top, left, right, bottom } = item.getBoundingClientRect();
      const icon = item.querySelector('svg')?.getBoundingClientRect().height ?? 0;
      const isInside = top >= 0 && left >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
      return isInside && icon <= parseFloat(getComputedStyle(item).lineHeight) ? [] : [item.innerText];
    }),
  );
}

async function expectGoodMenu(page: Page): Promise<void> {
  const menu = page.getByRole('menu').last();
  await menu.waitFor();
  expect(await menu.locator('.menu-item').count()).toBeGreaterThan(1);
  // It is placed a moment after it is there.
  await eventually(() => wrongItems(menu)).toEqual([]);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
}

describe('menus', () => {
  it('WEB-17: an open menu hides nothing that the keyboard could reach behind it, and contains only items', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one'], { name: 'Barriers' }, SMALL);
    for (let index = 0; index < 10; index += 1)
      await stage.server.client.createBranch(projectId, { name: `side ${index}`, fromRef: 'main' });
    await branchLink(page, 'side 9').waitFor();
    const openers = [
      button(page, `${en['reply.more']}: Barriers`),
      button(turn(page, 1).locator('.reply-footer'), en['reply.more']),
      button(turn(page, 1).locator('.reply-footer'), en['versions.several']),
      page.getByRole('button', { name: en['composer.tools'] }),
      button(page, `${en['reply.more']}: main`),
    ];
    for (const opener of openers) {
      await opener.click();
      await page.getByRole('menu').waitFor();
      await expectAccessible(page, `the menu of ${await opener.innerText()}`);
      if (opener !== openers.at(-1)) await page.keyboard.press('Escape');
    }
    await page.getByRole('menuitem', { name: en['branches.compare'] }).press('ArrowRight');
    await page.getByRole('menuitem', { name: 'side 9', exact: true }).waitFor();
    await expectAccessible(page, 'the branches to compare with, and their filter');
  });

  it('WEB-80: at 1280 × 720, every item of every menu is inside the window, with an icon of its size', async () => {
    const { page, projectId } = await openConversation(
      stage,
      ['/sim say one', '/sim long 4000'],
      { name: 'Menus' },
      SMALL,
    );
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').waitFor();
    for (const name of ['Menus', 'main', 'side']) {
      await button(page, `${en['reply.more']}: ${name}`).click();
      await expectGoodMenu(page);
    }
    for (const message of [turn(page, 2).locator('.reply-footer'), userMessage(page, 2)]) {
      await act(message, en['reply.more']);
      await expectGoodMenu(page);
    }
  });

  it('WEB-80: “Compare with…” on hundreds of branches scrolls, and typing filters it', async () => {
    const { client } = stage.server;
    const { page, projectId } = await openConversation(stage, ['/sim say one'], { name: 'Many' }, SMALL);
    for (let index = 0; index < BRANCHES; index += 1)
      await client.createBranch(projectId, { name: `branch ${index}`, fromRef: 'main' });
    await page.reload();
    await branchLink(page, 'branch 299').waitFor({ state: 'attached' });
    await branchLink(page, 'main').hover();
    await button(page, `${en['reply.more']}: main`).click();
    await page.getByRole('menuitem', { name: en['branches.compare'] }).press('ArrowRight');
    const menu = page.getByRole('menu').last();
    await menu.getByRole('menuitem', { name: 'branch 299', exact: true }).waitFor({ state: 'attached' });
    expect(await menu.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
    expect(await wrongItems(menu)).toEqual([]);
    // Wherever the keyboard is: the menu would take a letter for a jump.
    await page.keyboard.type('ch 29');
    await eventually(() => menu.getByRole('menuitem').count()).toBe(11);
    await page.keyboard.type('7');
    await eventually(() => menu.getByRole('menuitem').allInnerTexts()).toEqual(['branch 297']);
    await page.keyboard.press('Backspace');
    await eventually(() => menu.getByRole('menuitem').count()).toBe(11);
    const [, second = ''] = await menu.getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await eventually(() => menu.locator('[data-highlighted]').innerText()).toBe(second);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(`/compare/main/${encodeURIComponent(second)}`));
  });
});
