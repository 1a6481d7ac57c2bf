import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { button, composer, ended, eventually, openConversation, openPanel, send } from './testing/page-objects.ts';
import { requestsOf, untilQuiet } from './testing/requests.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const outgoing = (page: Page) => page.locator('.outgoing');
const chat = /\/api\/projects\/[^/]+\/chat$/;

describe('a message', () => {
  it('WEB-51: is read once when it is stored and once when it is answered, however much is loaded', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two', '/sim say three']);
    await openPanel(page, 'graph');
    await page.getByRole('treeitem').first().waitFor();
    const asked = requestsOf(page);
    await untilQuiet(page, asked);
    asked.length = 0;
    await send(page, '/sim say four');
    await ended(page, 4);
    await untilQuiet(page, asked);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(6);
    expect(asked.filter((each) => /\/(graph|children|siblings)$/.test(each))).toEqual([]);
    await page.getByRole('treeitem').nth(7).waitFor();
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups.length).toBe(4);
    expect(await page.locator('.turn-slot').count()).toBe(4);
  });

  it('WEB-51: what another page says on this branch is read without reading everything again', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await page.waitForTimeout(1_000);
    await (await stage.server.client.chat(projectId, { ref: 'main', message: '/sim say from elsewhere' })).text();
    await page.locator('.reply').getByText('from elsewhere', { exact: true }).waitFor();
    await ended(page, 2);
  });

  it('WEB-52: is on the screen before the server has answered, and only once afterwards', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(chat, async (route) => {
      await held;
      await route.continue();
    });
    await send(page, '/sim say Held back');
    await outgoing(page).getByText('/sim say Held back').waitFor();
    expect(await composer(page).inputValue()).toBe('');
    release();
    await ended(page, 2);
    expect(await outgoing(page).count()).toBe(0);
    expect(await page.locator('.user-text').getByText('/sim say Held back').count()).toBe(1);
  });

  it('WEB-52: that could not be sent says so, survives a reload, and is sent once when it is sent again', async () => {
    const low = { viewport: { width: 1280, height: 420 } };
    const { page, projectId } = await openConversation(stage, ['/sim say one'], {}, low);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    await page.route(chat, (route) => route.abort('connectionrefused'));
    await send(page, '/sim say Not lost');
    // In so low a window it is below what can be seen, unless the page goes there.
    await eventually(async () => {
      const why = await outgoing(page).getByRole('alert').boundingBox();
      const end = await page.locator('form.composer').boundingBox();
      return why !== null && end !== null && why.y + why.height <= end.y;
    }).toBe(true);
    await page.unroute(chat);
    await page.reload();
    await outgoing(page).getByText('/sim say Not lost').waitFor();
    await button(outgoing(page), en['outbox.retry']).click();
    await ended(page, 2);
    expect(await outgoing(page).count()).toBe(0);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups.map(({ user }) => user?.content)).toEqual(['/sim say one', '/sim say Not lost']);
  });

  it('WEB-52: that could not be sent can be taken back to be written anew', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    await page.route(chat, (route) => route.abort('connectionrefused'));
    await send(page, 'half a thought');
    await button(outgoing(page), en['outbox.edit']).click();
    expect(await composer(page).inputValue()).toBe('half a thought');
    expect(await outgoing(page).count()).toBe(0);
    // There was no reply to announce.
    expect(await page.locator('.conversation > [aria-live]').innerText()).toBe('');
  });
});

describe('a server that is away', () => {
  it('WEB-53: is reported while it is away, and what was asked for comes by itself when it is back', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say here']);
    stage.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    const all = /\/api\//;
    await page.route(all, (route) => route.abort('connectionrefused'));
    await page.reload();
    await page.getByText(en['connection.away']).waitFor();
    // Longer than the readings are repeated by themselves.
    await page.waitForTimeout(6_000);
    await page.unroute(all);
    await page.locator('.reply').getByText('here', { exact: true }).waitFor();
    await page.getByText(en['connection.away']).waitFor({ state: 'detached' });
    expect(page.url()).toContain(projectId);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('WEB-53: a conversation that is still to come has its shape', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say here']);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(new RegExp(`/api/projects/${projectId}/history`), async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.locator('main .skeleton').waitFor();
    release();
    await page.locator('.reply').getByText('here', { exact: true }).waitFor();
    expect(await page.locator('main .skeleton').count()).toBe(0);
  });
});
