import { schemas } from '@bough/api';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import type { Place } from './testing/page-objects.ts';
import {
  act,
  button,
  ended,
  eventually,
  openConversation,
  openImported,
  replyText,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';
import { MOST_REPLIES } from './view/most-replies.ts';

const stage = useStage();
/** It is stopped long before its end. */
const ENDLESS = `/sim slow 250 /sim say one two three${' and more'.repeat(1_000)}`;

/**
 * A question with a reply that came from elsewhere: it is there at once, however slowly the model answers when it is
 * asked again.
 */
async function openAnswered(question: string): Promise<Place> {
  const { client } = stage.server;
  const { project } = await client.createProject({ thinking: 'off' });
  await client.appendMessages(project.id, {
    ref: 'main',
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: 'From elsewhere' },
    ],
  });
  const page = await stage.open(`/p/${project.id}/b/main`);
  await ended(page, 1);
  return { page, projectId: project.id };
}

async function regenerate(page: Page, item: string): Promise<void> {
  await act(turn(page, 1).locator('.reply-footer'), en['versions.several']);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

const times = (count: number): string => en['versions.times'].replace('{count}', String(count));
const switcher = (page: Page, name: string) => turn(page, 1).locator('.reply').getByRole('group', { name });
const states = (page: Page) => eventually(() => turn(page, 1).locator('.version-states').getAttribute('aria-label'));

/** Each reply that is being written has a word: one that is stopped before that leaves nothing behind. */
async function haveBegun(projectId: string): Promise<void> {
  const { client } = stage.server;
  for (const { runningTurnId } of (await client.listBranches(projectId)).branches) {
    if (runningTurnId === null) continue;
    const { body } = await client.turnStream(projectId, runningTurnId, 0);
    let seen = '';
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen += part;
      if (seen.includes('"one two')) break;
    }
  }
}

describe('several replies at once', () => {
  it('WEB-131: are written side by side; the switcher shows them as they come, and leads to each', async () => {
    const { page, projectId } = await openAnswered(ENDLESS);
    await regenerate(page, times(3));
    await switcher(page, '2 of 4').waitFor();
    await states(page).toBe('3 being written · 1 finished');
    await button(switcher(page, '2 of 4'), en['reply.sibling.next']).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/b/${encodeURIComponent('main again')}`));
    await switcher(page, '3 of 4').waitFor();
    await haveBegun(projectId);
    await button(turn(page, 1), en['versions.stop']).click();
    await ended(page, 1);
    await states(page).toBe('1 finished · 3 interrupted');
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(branches.map(({ name }) => name)).toEqual(['main', 'main again', 'main again 2']);
  });

  it('WEB-131: one button stops all of them', async () => {
    const { page, projectId } = await openAnswered(ENDLESS);
    await regenerate(page, times(2));
    await states(page).toBe('2 being written · 1 finished');
    await haveBegun(projectId);
    await button(turn(page, 1), en['versions.stop']).click();
    await states(page).toBe('1 finished · 2 interrupted');
    await button(turn(page, 1), en['versions.stop']).waitFor({ state: 'detached' });
  });

  it('WEB-131: that they have just ended by themselves is no failure of the button', async () => {
    stage.allow(/interrupt|409|404/);
    const { page, projectId } = await openAnswered(ENDLESS);
    // They are stopped behind the reader's back, between the click and the server.
    await page.route('**/interrupt', async (route) => {
      const { client } = stage.server;
      await client.interrupt(projectId, route.request().postDataJSON());
      const isRunning = async (): Promise<boolean> =>
        (await client.listBranches(projectId)).branches.some(({ runningTurnId }) => runningTurnId !== null);
      await eventually(isRunning).toBe(false);
      await route.continue();
    });
    await regenerate(page, times(2));
    const answered = page.waitForResponse('**/interrupt');
    await button(turn(page, 1), en['versions.stop']).click();
    expect((await answered).ok()).toBe(false);
    await button(turn(page, 1), en['versions.stop']).waitFor({ state: 'detached' });
    expect(await page.locator('.toast').count()).toBe(0);
  });

  it('WEB-131: of those that were stopped before their first word, the earlier version is still within reach', async () => {
    const { page } = await openAnswered('/sim slow 60000 /sim say one');
    await regenerate(page, times(2));
    await button(turn(page, 1), en['versions.stop']).click();
    await button(switcher(page, '0 of 1'), en['reply.sibling.previous']).click();
    await replyText(page, 1).getByText('From elsewhere', { exact: true }).waitFor();
  });

  it('WEB-131: one that fails is shown as failed', async () => {
    const { page } = await openAnswered('/sim slow 100 /sim fault garbage 2');
    await regenerate(page, times(2));
    await states(page).toMatch(/ failed$/);
  });

  it('WEB-131: any number up to the limit of the server can be asked for', async () => {
    expect(MOST_REPLIES).toBe(schemas.LIMITS.regenerate);
    const { page } = await openConversation(stage, ['/sim say one']);
    await regenerate(page, en['versions.number']);
    const dialog = page.getByRole('dialog', { name: en['versions.several'] });
    const number = dialog.getByRole('spinbutton', { name: en['versions.number.label'] });
    await number.fill(String(MOST_REPLIES + 1));
    expect(await button(dialog, en['reply.regenerate']).isDisabled()).toBe(true);
    await number.fill('5');
    await number.press('Enter');
    await eventually(() => turn(page, 1).locator('.siblings').getAttribute('aria-label')).toMatch(/of 6$/);
    await ended(page, 1);
  });
});

describe('versions side by side', () => {
  const column = (page: Page, number: number) =>
    page.getByRole('region', { name: en['versions.one'].replace('{index}', String(number)), exact: true });

  it('WEB-132: an edited message is compared word by word, and any version can be shown again', async () => {
    const { page, projectId } = await openConversation(stage, ['The sky is blue today']);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    const nodeId = groups[0]?.user?.id ?? '';
    await (await stage.server.client.edit(projectId, { nodeId, content: 'The sky is grey today', ref: 'main' })).text();
    await button(userMessage(page, 1), en['versions.compare']).click();
    await page.waitForURL(/\/versions\//);
    await eventually(() => column(page, 2).locator('del').allInnerTexts()).toEqual(['blue']);
    expect(await column(page, 2).locator('ins').allInnerTexts()).toEqual(['grey']);
    expect(await column(page, 1).locator('ins, del').count()).toBe(0);
    await expectAccessible(page, 'versions of a message');
    await page.getByRole('checkbox', { name: en['versions.words'] }).uncheck();
    await eventually(() => column(page, 2).locator('ins, del').count()).toBe(0);
    await button(column(page, 2), en['versions.show']).click();
    await page.waitForURL(/\/b\/main\?/);
    await userMessage(page, 1).getByText('The sky is grey today').waitFor();
  });

  it('WEB-132: regenerated replies are compared, the ones that are still being written too; versions are chosen by keyboard', async () => {
    const { page, projectId } = await openAnswered(ENDLESS);
    await regenerate(page, times(3));
    await button(switcher(page, '2 of 4'), en['versions.compare']).click();
    await column(page, 4).getByText('three').waitFor();
    expect(await page.locator('.versions > section').count()).toBe(4);
    await haveBegun(projectId);
    await button(page, en['versions.stop']).click();
    await eventually(() => page.getByText(en['status.running'], { exact: true }).count()).toBe(0);
    // What grew before the reader's eyes stays.
    expect(await page.locator('.versions > section').count()).toBe(4);
    const first = page.getByRole('group', { name: en['versions.choose'] }).getByRole('button').first();
    await first.focus();
    const before = await first.getAttribute('aria-pressed');
    await page.keyboard.press('Space');
    await eventually(() => first.getAttribute('aria-pressed')).not.toBe(before);
    const words = page.getByRole('checkbox', { name: en['versions.words'] });
    await words.focus();
    await page.keyboard.press('Space');
    // They were stopped at the same word, or a few words apart.
    const compared = page.getByText(en['versions.same']).or(page.locator('.versions').locator('ins, del'));
    await eventually(() => compared.count()).toBeGreaterThan(0);
  });

  it('WEB-132: on a phone they stand one below the other', async () => {
    const { page, projectId } = await openConversation(
      stage,
      [`/sim say ${'words that fill some lines '.repeat(8)}`],
      {},
      { viewport: { width: 390, height: 800 }, hasTouch: true },
    );
    const { turns } = await stage.server.client.regenerate(projectId, { ref: 'main' });
    await (await stage.server.client.turnStream(projectId, turns[0]?.turnId ?? '', 0)).text();
    await button(turn(page, 1).locator('.reply'), en['versions.compare']).click();
    await column(page, 2).waitFor();
    const [one, two] = [await column(page, 1).boundingBox(), await column(page, 2).boundingBox()];
    expect(two?.y).toBeGreaterThanOrEqual((one?.y ?? 0) + (one?.height ?? 0) - 1);
    // Its text, too: it ran into the heading below it.
    const isWhole = await column(page, 1)
      .locator('.version-text')
      .evaluate((text) => text.clientHeight > 60 && text.scrollHeight <= text.clientHeight + 1);
    expect(isWhole).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    await expectAccessible(page, 'versions on a phone');
  });
});

describe('the footer of a reply', () => {
  it('WEB-133: begins where the prose begins, and tells the rest to a keyboard and to a finger', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], {}, { hasTouch: true });
    const facts = turn(page, 1).locator('.facts');
    const left = (selector: string): Promise<number> =>
      turn(page, 1)
        .locator(selector)
        .first()
        .evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return range.getBoundingClientRect().left;
        });
    const apart = async (): Promise<number> => Math.abs((await left('.facts')) - (await left('.prose:not(.quiet) p')));
    await eventually(apart).toBeLessThan(1.5);
    await facts.tap();
    const tooltip = page.getByRole('tooltip');
    for (const name of [en['facts.tokens'], en['facts.cost'], en['facts.time'], en['facts.end']])
      await eventually(() => tooltip.innerText()).toContain(name);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
    await page.locator('body').tap({ position: { x: 600, y: 300 } });
    await facts.focus();
    await eventually(() => tooltip.innerText()).toContain(en['status.complete']);
  });
});

describe('scripts that run from right to left', () => {
  it('WEB-135: a message is written, edited and read in the direction of its own script', async () => {
    const { page } = await openImported(stage, 'שלום, עולם');
    const direction = (selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    await page.locator('#composer').fill('مرحبا بالعالم');
    expect(await direction('#composer')).toBe('rtl');
    await page.locator('#composer').press('Enter');
    await ended(page, 3);
    expect(await direction('.turn-slot[data-index="2"] .user-text')).toBe('rtl');
    expect(await direction('.turn-slot[data-index="1"] .prose p')).toBe('rtl');
    await replyText(page, 2).getByText('שלום').waitFor();
    await act(userMessage(page, 3), en['reply.edit']);
    expect(await direction('.user-edit textarea')).toBe('rtl');
    await page.locator('.user-edit textarea').fill('now in English');
    expect(await direction('.user-edit textarea')).toBe('ltr');
  });
});
