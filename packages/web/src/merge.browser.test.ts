import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  actFromMenu,
  branchLink,
  button,
  eventually,
  onBranch,
  openConversation,
  openPanel,
  reply,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const told = (key: keyof typeof en, values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, String(value)), en[key]);

const merges = (page: Page) => page.locator('.merged');

/** On `main` one turn, and on `hills`, which was forked from it, a second one. */
async function openForked(more: { readonly model?: string } = {}, height = 800) {
  const place = await openConversation(
    stage,
    ['/sim say Oaks grow slowly.'],
    { provider: 'simulated', ...more },
    {
      viewport: { width: 1280, height },
    },
  );
  const { client } = stage.server;
  const say = async (ref: string, message: string) => {
    await (await client.chat(place.projectId, { ref, message })).text();
  };
  await client.createBranch(place.projectId, { name: 'hills', fromRef: 'main' });
  await say('hills', '/sim say The **Brocken** is the highest.');
  await branchLink(place.page, 'hills').waitFor();
  return { ...place, client, say };
}

async function openFromBranch(page: Page, name: string) {
  await button(page, `${en['reply.more']}: ${name}`).click();
  await page.getByRole('menuitem', { name: en['merge.open'], exact: true }).click();
  return page.getByRole('dialog');
}

/** The labels of the graph through whose letters a merge is drawn. */
function wordsUnderMerges(panel: Locator): Promise<readonly string[]> {
  return panel.evaluate((element) => {
    /** Half of what they are high. */
    const LETTERS = 5;
    const lines = Array.from(element.querySelectorAll('.graph-merge path'), (path) => path.getBoundingClientRect());
    return Array.from(element.querySelectorAll('.graph-label')).flatMap((label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      const { left, top, bottom } = range.getBoundingClientRect();
      const middle = (top + bottom) / 2;
      const isUnder = lines.some((it) => it.right > left && it.bottom > middle - LETTERS && it.top < middle + LETTERS);
      return isUnder ? [label.textContent] : [];
    });
  });
}

describe('bringing a branch into another one', () => {
  it('WEB-712, WEB-713: what is new is told and brought; the message opens to where it comes from, the tree shows it', async () => {
    stage.allow(/409/);
    // In so low a window what was brought is below what can be seen, unless the page goes there.
    const { page, projectId, client, say } = await openForked({}, 560);
    const dialog = await openFromBranch(page, 'hills');
    await dialog
      .getByText(told('merge.since.fork', { source: 'hills', target: 'main', messages: '2 messages' }))
      .waitFor();
    await dialog.getByText('The Brocken is the highest.').waitFor();
    await expectAccessible(page, 'what a merge would bring');
    await button(dialog, en['merge.save']).click();
    await onBranch(page, 'main');
    const merged = merges(page);
    await merged.getByText(told('merged.title', { branch: 'hills' })).waitFor();
    await merged.locator('.prose strong').getByText('Brocken').waitFor();
    await eventually(() =>
      merged.evaluate((element) => element.getBoundingClientRect().bottom <= window.innerHeight),
    ).toBe(true);
    expect(await merged.innerText()).not.toContain('another branch of this conversation');

    await button(merged, en['merged.open']).click();
    await merged.locator('.merged-range button').nth(1).getByText(en['merged.brought']).waitFor();
    await merged.locator('.diff [data-kind="added"]').getByText('Brocken').waitFor();
    await expectAccessible(page, 'where a merge comes from');
    const panel = await openPanel(page, 'graph');
    const { branches } = await client.listBranches(projectId);
    const tips = new Map(branches.map(({ name, tipId }) => [name, tipId]));
    const line = panel.locator('.graph-merge');
    await eventually(() => line.getAttribute('data-from')).toBe(tips.get('hills') ?? '');
    expect(await line.getAttribute('data-to')).toBe(tips.get('main') ?? '');
    await panel.getByRole('treeitem', { name: new RegExp(`^${en['graph.merge']}, main`) }).waitFor();
    await eventually(() => wordsUnderMerges(panel)).toEqual([]);

    // Again: nothing is new, which is said; then only what has come since.
    await openFromBranch(page, 'hills');
    await dialog.getByText(told('merge.nothing', { source: 'hills', target: 'main' })).waitFor();
    expect(await button(dialog, en['merge.save']).isDisabled()).toBe(true);
    await say('hills', '/sim say Snow lies there until May.');
    await dialog
      .getByText(told('merge.since.merge', { source: 'hills', target: 'main', messages: '2 messages' }))
      .waitFor();
    await button(dialog, en['dialog.cancel']).click();

    // To a message of the source, and on; a source that is gone says so, and what was brought stays.
    await merged.locator('.merged-range button').nth(1).click();
    await onBranch(page, 'hills');
    await branchLink(page, 'main').click();
    await onBranch(page, 'main');
    await button(merged, en['merged.open']).click();
    await merged.getByRole('link', { name: told('merged.source', { branch: 'hills' }) }).waitFor();
    await client.deleteBranch(projectId, 'hills');
    await merges(page)
      .getByText(told('merged.deleted', { branch: 'hills' }))
      .waitFor();
    await merges(page).locator('.prose strong').getByText('Brocken').waitFor();
    await merges(page).locator('.merged-range button').nth(1).click();
    await dialog.getByRole('heading', { name: en['branch.title'] }).waitFor();
  });

  it('WEB-710: a message is brought from its menu, to one of many branches; from the palette, too', async () => {
    const { page, projectId, client } = await openForked();
    for (let number = 1; number <= 9; number += 1)
      await client.createBranch(projectId, { name: `idea ${number}`, fromRef: 'main' });
    await branchLink(page, 'hills').click();
    await onBranch(page, 'hills');
    await branchLink(page, 'idea 9').waitFor();
    await actFromMenu(page, reply(page, 2), en['merge.open']);
    const dialog = page.getByRole('dialog');
    const filter = dialog.getByRole('searchbox', { name: en['branches.compare.filter'] });
    await filter.fill('ea 7');
    await filter.press('Enter');
    // The one that is chosen stays in sight; nothing was brought by Enter.
    await eventually(() => dialog.locator('.merge-targets').getByRole('radio').count()).toBe(2);
    await dialog.getByRole('radio', { name: /idea 7/ }).check();
    // What the menu belongs to is ticked, and nothing else.
    const ticks = dialog.getByRole('checkbox');
    await eventually(() => ticks.count()).toBe(2);
    expect([await ticks.nth(0).isChecked(), await ticks.nth(1).isChecked()]).toEqual([false, true]);
    await ticks.nth(1).uncheck();
    expect(await button(dialog, en['merge.save']).isDisabled()).toBe(true);
    await button(dialog, en['merge.pickAll']).click();
    await button(dialog, en['merge.save']).click();
    await onBranch(page, 'idea 7');
    await merges(page).getByText('2 messages').waitFor();
    expect((await client.listBranches(projectId)).branches.map(({ name }) => name)).toHaveLength(11);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill('bring into');
    await page.getByRole('option', { name: en['merge.open'], selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: told('merge.title', { branch: 'idea 7' }) }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('WEB-711: a summary is asked for in one’s own words; a refusal is told, Cancel stops it, and nothing is brought', async () => {
    stage.allow(/502/, /ERR_ABORTED/);
    const { page, projectId, client } = await openForked({ model: 'sim-bound' });
    const tip = async () => (await client.listBranches(projectId)).branches.find(({ name }) => name === 'main')?.tipId;
    const before = await tip();
    const dialog = await openFromBranch(page, 'hills');
    await dialog.getByRole('radio', { name: en['merge.by.summary'] }).check();
    const words = dialog.getByRole('textbox', { name: en['compact.instruction'] });
    await words.fill('/sim refuse');
    await button(dialog, en['merge.save.summary']).click();
    await dialog
      .getByRole('alert')
      .getByText(/The model refused/)
      .waitFor();
    expect(await words.inputValue()).toBe('/sim refuse');

    await words.fill('/sim fault stall 1');
    await button(dialog, en['merge.save.summary']).click();
    await dialog.getByText(told('summary.writing', { model: 'sim-bound' })).waitFor();
    await expectAccessible(page, 'a summary that is being written');
    await button(dialog, en['dialog.cancel']).click();
    await dialog.getByText(en['merge.cancelled']).waitFor();
    expect(await tip()).toBe(before);

    await words.fill('/sim say It is the Brocken.');
    await button(dialog, en['merge.save.summary']).click();
    await onBranch(page, 'main');
    await merges(page).getByText('It is the Brocken.').waitFor();
  });
});
