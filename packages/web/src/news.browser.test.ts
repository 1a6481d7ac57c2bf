import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  branchLink,
  button,
  composer,
  eventually,
  manyWords,
  onBranch,
  openConversation,
  openImported,
  openPanel,
  openProject,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage({ tools: { approval: { calculator: 'ask' } } });

const say = async (projectId: string, message: string, ref = 'main'): Promise<void> => {
  await (await stage.server.client.chat(projectId, { ref, message })).text();
};
const mark = (page: Page, of: 'project' | 'branch', name: string, kind: 'waiting' | 'failed' | 'finished') =>
  page
    .locator(of === 'project' ? '.project-row' : '.branch-row', { hasText: name })
    .getByRole('img', { name: en[`news.${kind}`] });

/** Waits for an approval and does not read on: such a stream has no end. */
async function waiting(projectId: string): Promise<void> {
  const stop = new AbortController();
  await stage.server.client.chat(projectId, { ref: 'main', message: '/sim tools calculator' }, stop.signal);
  await eventually(async () => {
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    return groups.at(-1)?.status;
  }).toBe('awaiting_approval');
  stop.abort();
}

/** Records what would be notified, and pretends that the person is in another tab. */
async function pretend(page: Page): Promise<void> {
  await page.addInitScript(() => {
    class Told extends EventTarget {
      static permission = 'default';
      static async requestPermission(): Promise<string> {
        Told.permission = 'granted';
        return Told.permission;
      }
      static readonly all: { readonly title: string; readonly body: string; readonly shown: Told }[] = [];
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        Told.all.push({ title, body, shown: this });
      }
      close(): void {
        // Nothing is on the screen.
      }
    }
    Object.defineProperty(window, 'Notification', { value: Told, configurable: true });
    Object.defineProperty(window, 'setAway', {
      value: (away: boolean) => {
        Object.defineProperty(document, 'visibilityState', { value: away ? 'hidden' : 'visible', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      },
    });
  });
  await page.reload();
  await composer(page).waitFor();
}
const setAway = (page: Page, away: boolean): Promise<void> => page.evaluate(`window.setAway(${away})`);
const told = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`window.Notification.all.map(({ title, body }) => title + ': ' + body)`);

describe('what happens elsewhere', () => {
  it('WEB-125: a reply that ends in another project or branch is marked there until it is visited', async () => {
    const { client } = stage.server;
    const { project: other } = await client.createProject({ name: 'Elsewhere' });
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').waitFor();
    await say(other.id, '/sim say done');
    await mark(page, 'project', 'Elsewhere', 'finished').waitFor();
    await eventually(() => page.title()).toMatch(/^\(1\) main/);
    await say(projectId, '/sim fault 400', 'side');
    await mark(page, 'branch', 'side', 'failed').waitFor();
    await eventually(() => page.title()).toMatch(/^\(2\) /);
    await expectAccessible(page, 'marks of what happened elsewhere');
    await branchLink(page, 'side').click();
    await onBranch(page, 'side');
    await mark(page, 'branch', 'side', 'failed').waitFor({ state: 'detached' });
    await page.reload();
    await mark(page, 'project', 'Elsewhere', 'finished').waitFor();
    await page.getByRole('link', { name: 'Elsewhere', exact: true }).click();
    await eventually(() => page.title()).toBe('main · Elsewhere · Bough');
    // What ends before one's eyes is no news.
    await say(other.id, '/sim say seen');
    await page.getByText('seen', { exact: true }).waitFor();
    expect(await page.title()).toBe('main · Elsewhere · Bough');
  });

  it('WEB-125: a call that waits is marked after a reload and in a browser that never heard of it, until it is answered', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Asks', tools: ['calculator'] });
    await waiting(project.id);
    const page = await stage.open();
    await mark(page, 'project', 'Asks', 'waiting').waitFor();
    await eventually(() => page.title()).toBe('(1) Bough');
    await page.reload();
    await mark(page, 'project', 'Asks', 'waiting').waitFor();
    await client.interrupt(project.id, { ref: 'main' });
    await mark(page, 'project', 'Asks', 'waiting').waitFor({ state: 'detached' });
    await eventually(() => page.title()).toBe('Bough');
  });

  it('WEB-181: a reply that ends while the page is closed is marked when it is opened again', async () => {
    const { client } = stage.server;
    const { project: other } = await client.createProject({ name: 'While closed' });
    const { page } = await openConversation(stage, ['/sim say one']);
    const address = page.url();
    const ends = say(other.id, '/sim slow 40 /sim long 3000');
    await eventually(() => page.evaluate(() => localStorage.getItem('bough.open-turns'))).toContain(other.id);
    await page.goto('about:blank');
    await ends;
    await page.goto(address);
    await mark(page, 'project', 'While closed', 'finished').waitFor();
    await page.getByRole('link', { name: /While closed/ }).click();
    await page.waitForURL(new RegExp(other.id));
    await mark(page, 'project', 'While closed', 'finished').waitFor({ state: 'hidden' });
  });

  it('WEB-126: notifications are offered once, after something happened, and lead to where it was', async () => {
    const { client } = stage.server;
    const { project: other } = await client.createProject({ name: 'Far away' });
    const { page } = await openProject(stage);
    await pretend(page);
    expect(await page.locator('.news-offer').count()).toBe(0);
    await say(other.id, '/sim say first');
    const offer = page.locator('.news-offer');
    await offer.waitFor();
    await expectAccessible(page, 'the offer of notifications');
    await button(offer, en['news.offer.yes']).click();
    await offer.waitFor({ state: 'detached' });
    // Who looks at the page sees it in the sidebar. Elsewhere: where the first reply ended, there is a mark already.
    const { project: third } = await client.createProject({ name: 'Farther' });
    await say(third.id, '/sim say second');
    await mark(page, 'project', 'Farther', 'finished').waitFor();
    expect(await told(page)).toEqual([]);
    await setAway(page, true);
    await say(other.id, '/sim say third');
    await eventually(() => told(page)).toEqual([`${en['news.finished']}: Far away · main`]);
    await setAway(page, false);
    await page.evaluate(`window.Notification.all[0].shown.dispatchEvent(new Event('click'))`);
    await page.waitForURL((url) => url.pathname === `/p/${other.id}/b/main`);
  });

  it('WEB-126: whoever declines is not asked again, and finds it in the settings', async () => {
    const { client } = stage.server;
    const { project: other } = await client.createProject({ name: 'Quiet' });
    const { page } = await openProject(stage);
    await pretend(page);
    await say(other.id, '/sim say first');
    await button(page.locator('.news-offer'), en['news.offer.no']).click();
    await page.reload();
    await mark(page, 'project', 'Quiet', 'finished').waitFor();
    expect(await page.locator('.news-offer').count()).toBe(0);
    await page.getByRole('link', { name: en['settings.title'] }).click();
    const choice = page.getByRole('checkbox', { name: en['settings.notify'] });
    await choice.click();
    await eventually(() => choice.isChecked()).toBe(true);
  });

  it('WEB-125: in a hidden tab even the open branch has news, until somebody looks', async () => {
    const { page, projectId } = await openProject(stage);
    await pretend(page);
    await setAway(page, true);
    await say(projectId, '/sim say unseen');
    await eventually(() => page.title()).toMatch(/^\(1\) /);
    await setAway(page, false);
    await eventually(() => page.title()).not.toMatch(/^\(/);
  });
});

describe('the place in the graph', () => {
  it('WEB-128: is marked among messages that came without turns, too', async () => {
    const { page, projectId } = await openImported(stage, 'An answer from elsewhere.');
    await openPanel(page, 'graph');
    const { nodes } = await stage.server.client.graph(projectId);
    const read = page.locator('.graph-point[aria-current="location"]');
    await eventually(() => read.getAttribute('data-item')).toBe(nodes.at(-1)?.id ?? '');
  });

  it('WEB-128: the message that is being read is marked in the graph, and followed as one scrolls', async () => {
    const { page, projectId } = await openConversation(
      stage,
      ['one', 'two', 'three'].map((word) => `/sim say ${word} ${manyWords(400)}`),
    );
    await openPanel(page, 'graph');
    const { nodes } = await stage.server.client.graph(projectId);
    const read = page.locator('.graph-point[aria-current="location"]');
    await eventually(() => read.getAttribute('data-item')).toBe(nodes.at(-1)?.id ?? '');
    await page.getByRole('region', { name: en['conversation.label'] }).focus();
    await page.keyboard.press('Home');
    await eventually(() => read.getAttribute('data-item')).toBe(nodes[0]?.id ?? '');
    const box = await read.boundingBox();
    const frame = await page.locator('.graph-canvas').boundingBox();
    expect(box?.y ?? 0).toBeGreaterThanOrEqual((frame?.y ?? 0) - 1);
    // A click leads there, as before.
    const second = nodes[2]?.id ?? '';
    await page.locator(`.graph-point[data-item="${second}"]`).click();
    await page.waitForURL((url) => url.searchParams.get('node') === second);
    await eventually(() => read.getAttribute('data-item')).toBe(second);
    await expectAccessible(page, 'the place in the graph');
  });
});
