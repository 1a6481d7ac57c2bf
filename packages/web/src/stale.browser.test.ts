import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from './i18n/en.ts';
import {
  branchLink,
  button,
  composer,
  openConversation,
  openPanel,
  renderedText,
  replyText,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
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
    stage.allow(/ERR_CONNECTION_REFUSED/);
    const reads = new RegExp(`/api/projects/${projectId}(/history|/graph|\\?|$)`);
    await page.route(reads, (route) => route.abort('connectionrefused'));
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

  it('WEB-29: a server that was away is found again, with what changed meanwhile', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say before']);
    await renderedText(page, 1);
    stage.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    const watch = new RegExp(`/api/projects/${projectId}/watch`);
    await page.route(watch, (route) => route.abort('connectionrefused'));
    await stage.server.stop();
    await stage.server.start();
    await stage.server.client.createBranch(projectId, { name: 'meanwhile', fromRef: 'main' });
    await page.unroute(watch);
    await branchLink(page, 'meanwhile').waitFor();
    await replyText(page, 1).getByText('before', { exact: true }).waitFor();
  });
});
