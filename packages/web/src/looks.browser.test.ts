import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { look, lookAfterClosing } from './testing/looks/index.ts';
import {
  act,
  branchLink,
  button,
  composer,
  ENDLESS,
  eventually,
  openConversation,
  openPanel,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

// A handful of the states that `npm run tour` visits: enough to run its checks with every change.

const stage = useStage();
const PHONE = { viewport: { width: 390, height: 844 } };
const LONG = 'a name that says everything that was thought when it was given, and-then-some-that-cannot-be-broken';

async function expectGoodLooks(page: Page, where: string): Promise<void> {
  await eventually(async () => ({ where, found: await look(page) })).toEqual({ where, found: [] });
}

/** Checks what covers the page, and closes it by keyboard. */
async function expectGoodOverlay(page: Page, overlay: Locator, where: string): Promise<void> {
  await overlay.waitFor();
  await expectGoodLooks(page, where);
  await page.keyboard.press('Escape');
  await overlay.waitFor({ state: 'hidden' });
}

describe.each([
  ['a laptop', {}],
  ['a phone', PHONE],
])('what a machine can see on %s', (_, options) => {
  it('WEB-39: menus and dialogs are inside the window, their icons as small as their text', async () => {
    const { page, projectId } = await openConversation(stage, ['hello', '/sim markdown'], { name: LONG }, options);
    await stage.server.client.createBranch(projectId, { name: LONG, fromRef: 'main' });
    const sidebar = page.getByRole('searchbox', { name: en['projects.search'] });
    if (!(await sidebar.isVisible())) await button(page, en['sidebar.toggle']).click();
    await branchLink(page, 'main').waitFor();
    const menu = page.getByRole('menu').first();
    for (const name of [LONG, 'main']) {
      await page
        .getByRole('button', { name: `${en['reply.more']}: ${name}`, exact: true })
        .last()
        .click();
      await expectGoodOverlay(page, menu, `the menu of ${name}`);
    }
    if (options === PHONE) await page.locator('.sidebar .scrim').click();
    for (const message of [turn(page, 2).locator('.reply-footer'), userMessage(page, 2)]) {
      await act(message, en['reply.more']);
      await expectGoodOverlay(page, menu, 'the menu of a message');
    }
    await page.getByRole('button', { name: new RegExp(en['composer.switch']) }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('combobox', { name: en['branch.model'] }).selectOption('sim-plain');
    await dialog.getByRole('heading', { name: en['branch.preview'] }).waitFor();
    await expectGoodOverlay(page, dialog, 'the branch dialog');
  });

  it('WEB-39: conversation, panels and pages stay inside the window, and no text ends without an ellipsis', async () => {
    const { page } = await openConversation(stage, ['hello', '/sim markdown'], { name: LONG }, options);
    await expectGoodLooks(page, 'the conversation');
    for (const panel of ['graph', 'context', 'details'] as const) {
      await openPanel(page, panel);
      await expectGoodLooks(page, `the ${panel} panel`);
    }
    for (const path of ['/settings', '/diagnostics', '/']) {
      await page.goto(`${stage.server.url}${path}`);
      await page.getByRole('heading').first().waitFor();
      await expectGoodLooks(page, path);
    }
  });
});

describe('what a machine can see anywhere', () => {
  it('WEB-39: a message that waits in line leaves every button of the composer within reach', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await send(page, ENDLESS);
    await button(page, en['composer.stop']).waitFor();
    await send(page, 'And then another question. '.repeat(20));
    await page.getByText(en['composer.queued']).waitFor();
    await expectGoodLooks(page, 'a message in line');
    await button(page, en['composer.queued.remove']).click();
    await button(page, en['composer.stop']).click();
  });

  it('WEB-39: the checks find what they are for', async () => {
    const { page } = await openConversation(stage, ['hello']);
    await page.evaluate(() => {
      document.title = 'Bough';
      const wrong = document.createElement('div');
      wrong.innerHTML =
        '<p style="position:fixed;left:95vw;width:200px">over the edge</p>' +
        '<button style="font-size:14px"><svg aria-hidden="true" viewBox="0 0 1 1" width="99" height="99"></svg>big</button>' +
        '<p style="position:fixed;top:9px;width:50px;overflow:hidden;white-space:nowrap">cut without a word</p>' +
        '<div role="menu" style="position:fixed;top:90vh;height:300px">low</div>';
      document.body.append(wrong);
    });
    const found = await look(page);
    expect(new Set(found.map(({ check }) => check))).toEqual(
      new Set(['outside', 'icons', 'cut', 'overlays', 'focus', 'title']),
    );
  });

  it('WEB-40: the keyboard is in what is open, and back at what opened it afterwards', async () => {
    const { page } = await openConversation(stage, ['hello']);
    const menu = page.getByRole('menu');
    const dialog = page.getByRole('dialog');
    const footer = turn(page, 1).locator('.reply-footer');
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    for (const item of [null, en['reply.delete'], en['reply.raw'], en['reply.regenerate.other']]) {
      await act(footer, en['reply.more']);
      if (item !== null) await menu.getByRole('menuitem', { name: item, exact: true }).click();
      const overlay = item === null ? menu : dialog;
      await overlay.waitFor();
      await eventually(() => look(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await overlay.waitFor({ state: 'hidden' });
      await eventually(() => lookAfterClosing(page)).toEqual([]);
      await eventually(focused).toBe(en['reply.more']);
    }
  });

  it('WEB-8: zooming by its buttons keeps the tree of the graph in sight', async () => {
    const { page } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const panel = await openPanel(page, 'graph');
    const point = panel.getByRole('treeitem').nth(2);
    await point.waitFor();
    for (let times = 0; times < 3; times += 1) await button(panel, en['graph.zoomIn']).click();
    const [frame, box] = await Promise.all([panel.boundingBox(), point.boundingBox()]);
    expect(box?.x).toBeGreaterThanOrEqual(frame?.x ?? Infinity);
    await expectGoodLooks(page, 'the graph, zoomed in');
  });

  it('WEB-41: every page has a title of its own, and it follows the reader', async () => {
    const { page, projectId } = await openConversation(stage, ['hello'], { name: 'Trees' });
    await eventually(() => page.title()).toBe('main · Trees · Bough');
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').click();
    await eventually(() => page.title()).toBe('side · Trees · Bough');
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await eventually(() => page.title()).toBe('Settings · Bough');
    await page.goto(`${stage.server.url}/p/${projectId}/compare/main/side`);
    await eventually(() => page.title()).toBe('main / side · Compare · Bough');
    await page.goto(stage.server.url);
    await eventually(() => page.title()).toBe('Bough');
  });

  it('WEB-42: what has not come yet says so, and says when the server does not answer', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say here']);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    const reads = new RegExp(`/api/projects/${projectId}$`);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(reads, async (route) => {
      await held;
      await route.abort('connectionrefused');
    });
    await page.reload();
    const loading = page.locator('main').getByRole('status');
    await loading.getByText(en['app.loading']).waitFor();
    answer();
    await loading.getByText(en['connection.lost']).waitFor();
    await page.unroute(reads);
    await composer(page).waitFor();
  });

  it('WEB-42: a page that cannot be loaded leaves everything else where it is, and can be tried again', async () => {
    const { page } = await openConversation(stage, ['/sim say here']);
    stage.allow(/ERR_CONNECTION_REFUSED|could not be loaded|dynamically imported module/);
    const part = '**/assets/settings-*.js';
    await page.route(part, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await page.getByRole('alert').getByText(en['error.part']).waitFor();
    await branchLink(page, 'main').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: en['projects.search'] }).waitFor();
    await page.unroute(part);
    await button(page, en['stale.retry']).click();
    await page.getByRole('heading', { name: en['settings.providers'] }).waitFor();
  });

  it('WEB-42: a language that cannot be loaded leaves a page in English, not a blank one', async () => {
    stage.allow(/ERR_CONNECTION_REFUSED|could not be loaded|dynamically imported module/);
    const page = await stage.open('/trash');
    await page.evaluate(() => localStorage.setItem('bough.preferences', '{"language":"zh"}'));
    await page.route('**/assets/zh-*.js', (route) => route.abort('connectionrefused'));
    await page.goto(stage.server.url);
    await page.getByRole('heading', { name: en['conversation.empty.title'] }).waitFor();
  });

  it('WEB-781: a part that is gone, as after an update of the server, is no mistake; trying again loads the page anew', async () => {
    const { page } = await openConversation(stage, ['/sim say here']);
    stage.allow(/ERR_CONNECTION_REFUSED|dynamically imported module/);
    const part = /assets\/context-[^/]*\.js/;
    await page.route(part, (route) => route.abort('connectionrefused'));
    await composer(page).fill('half a sentence');
    await page.getByRole('tab', { name: en['panel.context'] }).click();
    const told = page.getByRole('alert').filter({ hasText: en['error.part.why'] });
    await told.waitFor();
    await page.unroute(part);
    await button(told, en['stale.retry']).click();
    await eventually(() => composer(page).inputValue()).toBe('half a sentence');
    await openPanel(page, 'context');
    await page.getByRole('heading', { name: en['context.title'] }).waitFor();
  });

  it('WEB-39: what leads to the newest message lies on no action of a reply, on a phone', async () => {
    const { page } = await openConversation(
      stage,
      Array.from({ length: 6 }, () => 'hello'),
      {},
      {
        ...PHONE,
        hasTouch: true,
      },
    );
    const scroller = page.getByRole('region', { name: en['conversation.label'] });
    const jump = button(page, en['conversation.end']);
    // Again, if need be: while a conversation is being opened, it goes to its end.
    await eventually(async () => {
      await scroller.evaluate((element) => element.scrollTo(0, 0));
      return jump.isVisible();
    }).toBe(true);
    const copy = button(turn(page, 2).locator('.reply-footer'), en['reply.copy']);
    const middleOf = async (of: Locator): Promise<number> => {
      const box = await of.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0) / 2;
    };
    await eventually(async () => {
      const by = (await middleOf(copy)) - (await middleOf(jump));
      await scroller.evaluate((element, y) => element.scrollBy(0, y), by);
      return Math.abs(by) < 2;
    }).toBe(true);
    await expectGoodLooks(page, 'a reply whose actions are at the end of the window');
  });

  it('WEB-40: leaving an edit gives the keyboard back to its button', async () => {
    const { page } = await openConversation(stage, ['/sim say here']);
    await act(userMessage(page, 1), en['reply.edit']);
    await page.getByRole('textbox', { name: en['edit.title'] }).press('Escape');
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      en['reply.edit'],
    );
  });
});
