import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  branchLink,
  button,
  composer,
  ENDLESS,
  eventually,
  openConversation,
  openPanel,
  renderedText,
  reply,
  replyText,
  send,
  signal,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const away = (page: Page) => page.getByRole('status').filter({ hasText: en['connection.away'] });
const stale = (page: Page) => page.getByRole('status').filter({ hasText: en['stale.notice'].replace('{reason}', '') });

describe('reading again fails', () => {
  it.each([
    ['markdown', /markdown-/],
    ['worker', /worker-/],
  ])(
    'WEB-29: a part of the page that does not come (%s) takes nothing away: texts are shown as they are written',
    async (part, allowed) => {
      const { client } = stage.server;
      const { project } = await client.createProject({});
      await (await client.chat(project.id, { ref: 'main', message: '/sim say **bold** words' })).text();
      const page = await stage.open();
      stage.allow(allowed, /dynamically imported module/);
      await page.route(`**/assets/${part}-*.js`, (route) => route.abort('connectionrefused'));
      await page.goto(`${stage.server.url}/p/${project.id}/b/main`);
      await replyText(page, 1).getByText('**bold** words', { exact: true }).waitFor();
      await composer(page).waitFor();
    },
  );

  it('WEB-29: what is on the screen stays, with a line that says so; another try brings what is new', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say still here']);
    await openPanel(page, 'graph');
    await page.getByRole('tree', { name: en['graph.label'] }).waitFor();
    await composer(page).fill('half a sentence');
    stage.allow(/500/);
    const reads = new RegExp(`/api/projects/${projectId}(/history|/graph|\\?|$)`);
    const error = { code: 'internal', message: 'The disk is full.', retryable: false };
    await page.route(reads, (route) => route.fulfill({ status: 500, json: { error } }));
    await stage.server.client.createBranch(projectId, { name: 'elsewhere', fromRef: 'main' });

    await stale(page).waitFor();
    const colourOf = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await colourOf('.sidebar'), 'only the line is a warning').not.toBe(await colourOf('.stale'));
    await replyText(page, 1).getByText('still here', { exact: true }).waitFor();
    await page.getByRole('tree', { name: en['graph.label'] }).waitFor();
    expect(await composer(page).inputValue()).toBe('half a sentence');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await branchLink(page, 'elsewhere').count()).toBe(0);

    await page.unroute(reads);
    await button(stale(page), en['stale.retry']).click();
    await branchLink(page, 'elsewhere').waitFor();
    await stale(page).waitFor({ state: 'detached' });
  });

  it('WEB-182: that the server is away is said once, in a line that covers nothing and offers to try again', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say still here']);
    await openPanel(page, 'graph');
    stage.allow(/ERR_CONNECTION_REFUSED/);
    const reads = new RegExp(`/api/projects/${projectId}(/history|/graph|\\?|$)`);
    await page.route(reads, (route) => route.abort('connectionrefused'));
    await stage.server.client.createBranch(projectId, { name: 'out of reach', fromRef: 'main' });

    await away(page).waitFor();
    expect(await stale(page).count()).toBe(0);
    const line = await away(page).boundingBox();
    const bar = await page.locator('.topbar').first().boundingBox();
    expect(bar?.y).toBeGreaterThanOrEqual((line?.y ?? 0) + (line?.height ?? 0));
    await replyText(page, 1).getByText('still here', { exact: true }).waitFor();

    await page.unroute(reads);
    await button(away(page), en['stale.retry']).click();
    await branchLink(page, 'out of reach').waitFor();
    await away(page).waitFor({ state: 'detached' });
  });

  it('WEB-290: that the server is away is said although nothing is being read, until it is back', async () => {
    const { page } = await openConversation(stage, ['/sim say still here']);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    const follows = /\/api\/(watch|health)/;
    await page.route(follows, (route) => route.abort('connectionrefused'));
    // Away from the project, what happens is followed anew.
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await away(page).waitFor();
    await page.unroute(follows);
    await away(page).waitFor({ state: 'detached' });
  });

  it('WEB-1: a reply that ends while the server cannot be reached stays on the screen until the stored one is there', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say before']);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    await send(page, ENDLESS);
    const words = replyText(page, 2).first();
    await eventually(async () => (await words.innerText()).length).toBeGreaterThan(40);
    const reads = new RegExp(`/api/projects/${projectId}(/history|/graph|\\?|$)`);
    await page.route(reads, (route) => route.abort('connectionrefused'));
    const { client } = stage.server;
    await client.interrupt(projectId, { ref: 'main' });
    const status = async () => (await client.history(projectId, { ref: 'main', limit: 1 })).groups.at(-1)?.status;
    await eventually(status).toBe('interrupted');
    await away(page).waitFor();
    // Longer than the readings are repeated by themselves: then the live copy was given up, with nothing in its place.
    await page.waitForTimeout(9_000);
    expect(await words.count()).toBe(1);
    expect(await reply(page, 2).locator('.reply-footer').count()).toBe(0);
    await page.unroute(reads);
    await reply(page, 2).locator('.reply-footer').waitFor();
    expect((await words.innerText()).length).toBeGreaterThan(40);
  });

  it('WEB-1: an answer from before a reply began does not say that nothing runs: the next message waits in line', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say before']);
    await renderedText(page, 1);
    const isHeld = signal();
    const isReleased = signal();
    const hold = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      isHeld.give();
      await isReleased.given;
      // The page may have asked again by then, and waits for this no longer.
      await route.fulfill({ response }).catch(() => undefined);
    };
    await page.route(`**/api/projects/${projectId}`, hold, { times: 1 });
    await stage.server.client.createBranch(projectId, { name: 'beside', fromRef: 'main' });
    await isHeld.given;
    await send(page, ENDLESS);
    await replyText(page, 2).first().waitFor();
    await page.waitForTimeout(500);
    isReleased.give();
    await page.waitForTimeout(500);
    await send(page, 'and then this');
    await page.getByText(en['composer.queued']).waitFor();
    await branchLink(page, 'beside').waitFor();
    await button(page, en['composer.queued.remove']).click();
    await button(page, en['composer.stop']).click();
  });

  it('WEB-29: a server that was away is found again, with what changed meanwhile', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say before']);
    await renderedText(page, 1);
    stage.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    const watch = new RegExp(`/api/watch\\?project=${projectId}`);
    await page.route(watch, (route) => route.abort('connectionrefused'));
    await stage.server.stop();
    await stage.server.start();
    await stage.server.client.createBranch(projectId, { name: 'meanwhile', fromRef: 'main' });
    await page.unroute(watch);
    await branchLink(page, 'meanwhile').waitFor();
    await replyText(page, 1).getByText('before', { exact: true }).waitFor();
  });
});
