import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { zh, zhRefusals } from './i18n/zh.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  button,
  composer,
  ended,
  eventually,
  openConversation,
  openImported,
  openPanel,
  openProject,
  reply,
  replyText,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { samplePicture } from './testing/sample-files.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** A picture of one point that has two frames. */
const FRAME = '21f904000a0000002c0000000001000100000202440100';
const MOVING = Buffer.from(`47494638396101000100800000000000ffffff${FRAME}${FRAME}3b`, 'hex');
const CHINESE = { locale: 'zh-CN' };

describe('what is read', () => {
  it('WEB-84: a formula on its own line stands alone, tasks have a box instead of a bullet, each paragraph its direction', async () => {
    const { page } = await openImported(stage, '$$x^2 + 1$$\n\n- [x] done\n- [ ] open\n\nשלום עולם\n\nhello');
    await replyText(page, 2).locator('.katex-display').waitFor();
    const task = replyText(page, 2).locator('.task-list-item').first();
    expect(await task.evaluate((element) => getComputedStyle(element).listStyleType)).toBe('none');
    const directions = await replyText(page, 2)
      .locator('> p')
      .evaluateAll((all) => all.map((element) => getComputedStyle(element).direction));
    expect(directions).toEqual(['rtl', 'ltr']);
    await send(page, 'مرحبا /sim say ok');
    await turn(page, 3).waitFor();
    const said = userMessage(page, 3).locator('.user-text');
    expect(await said.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  });

  it('WEB-91: code names its language, and its long lines can be wrapped', async () => {
    const { page } = await openImported(stage, `\`\`\`ts\nconst a = "${'long '.repeat(80)}";\n\`\`\``);
    const block = replyText(page, 2).locator('.code-block');
    await block.getByText('ts', { exact: true }).waitFor();
    const isWide = (): Promise<boolean> =>
      block.locator('pre').evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(await isWide()).toBe(true);
    await block.hover();
    await button(block, en['code.wrap']).click();
    await eventually(isWide).toBe(false);
  });

  it('WEB-85: dragging and scrolling leave some of the tree in the frame', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const panel = await openPanel(page, 'graph');
    await panel.getByRole('treeitem').first().waitFor();
    const box = (await panel.getByRole('tree').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (let turns = 0; turns < 20; turns += 1) await page.mouse.wheel(900, 900);
    // Wherever the tree is on its way: at no moment is it out of the frame for good.
    await eventually(async () => {
      const point = await panel.getByRole('treeitem').last().boundingBox();
      return point === null ? -1 : point.y + point.height;
    }).toBeGreaterThan(box.y);
  });

  it('WEB-86: what a branch is locked to is in the header: the provider and the model', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await eventually(() => page.locator('.topbar .lock-tag').innerText()).toMatch(/^\S.* · sim-thinker$/);
  });

  it('WEB-87: a provider’s error is told in the reader’s language, followed by the provider’s own words', async () => {
    const { page } = await openConversation(stage, ['/sim fault error 3'], {}, CHINESE);
    const state = reply(page, 1).getByRole('alert');
    await state.getByText(zh['reply.error.overloaded']).waitFor();
    expect(await state.innerText()).toContain(zh['reply.error.said']);
  });

  it('WEB-286: what the server refuses is told in the reader’s language', async () => {
    stage.allow(/422/);
    const { page } = await openConversation(stage, ['/sim say one'], {}, CHINESE);
    const picture = samplePicture('broken.png', 80, 60);
    const broken = { ...picture, buffer: picture.buffer.subarray(0, 60) };
    await page.locator('form.composer input[type="file"][multiple]').setInputFiles(broken);
    await page
      .getByRole('alert')
      .getByText(zhRefusals['picture_unreadable'] ?? '')
      .waitFor();
  });

  it('WEB-286: what became of a file is told in the reader’s language', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], {}, CHINESE);
    const name = 'moves.gif';
    const chooser = page.locator('form.composer input[type="file"][multiple]');
    await chooser.setInputFiles({ name, mimeType: 'image/gif', buffer: MOVING });
    await page.locator('form.composer').getByText(zh['files.note.first_frame']).waitFor();
  });

  it('WEB-286: why a file cannot be imported is told in the reader’s language, with what was seen in it', async () => {
    const page = await stage.open('/import', CHINESE);
    const [before = ''] = (zhRefusals['unknown_source'] ?? '').split('{said}');
    const buffer = Buffer.from('%PDF-1.4 nothing to import');
    await page.locator('input[type="file"]').setInputFiles({ name: 'paper.json', mimeType: 'text/plain', buffer });
    await page.getByRole('alert').getByText(before).getByText('PDF').waitFor();
  });

  it('WEB-87: a project that does not exist is a sentence and a way back, without its id', async () => {
    stage.allow(/404/);
    const id = '0b0f86a6-7a3a-4c0f-8f0e-0e7d2b0a5a11';
    const page = await stage.open(`/p/${id}/b/main`);
    await page.getByText(en['error.project']).waitFor();
    expect(await page.locator('main').innerText()).not.toContain(id);
    await expectAccessible(page, 'a project that does not exist');
    await page.getByRole('link', { name: en['palette.home'] }).click();
    await page.getByRole('heading', { name: en['conversation.empty.title'] }).waitFor();
  });

  it('WEB-288: comparing with a branch that is gone says so, with a way to the project', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await page.goto(`${stage.server.url}/p/${projectId}/compare/main/gone`);
    await page.getByText(en['error.branch'].replace('{name}', 'gone')).waitFor();
    await page.getByRole('link', { name: en['compare.back'] }).click();
    await ended(page, 1);
  });

  it('WEB-180: a page that throws says so in its own words; what is around it stays, and trying again reads anew', async () => {
    stage.allow(/./);
    const { page } = await openConversation(stage, ['/sim say one']);
    // Not what the server says: the page takes it for granted and throws while it draws it.
    const reads = /\/api\/diagnostics/;
    await page.route(reads, (route) => route.fulfill({ json: {} }));
    await page.getByRole('link', { name: en['diagnostics.title'] }).click();
    const alert = page.getByRole('alert').filter({ hasText: en['error.thrown'] });
    await alert.waitFor();
    await expectAccessible(page, 'a page that threw');
    expect(await page.title()).toContain(en['error.thrown']);
    await page.getByRole('searchbox', { name: en['projects.search'] }).waitFor();
    await page.unroute(reads);
    await button(alert, en['stale.retry']).click();
    await page.getByRole('heading', { name: en['diagnostics.title'] }).waitFor();
    await alert.waitFor({ state: 'hidden' });
  });

  it('WEB-180: a browser without a proper language shows the page', async () => {
    const page = await stage.open('/settings');
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix'] });
    });
    await openConversation(stage, ['/sim say one']);
    await page.goto(stage.server.url);
    await page.getByRole('list', { name: en['projects.title'] }).getByRole('link').first().waitFor();
    expect(await page.getByText('Something went wrong').count()).toBe(0);
  });

  it('WEB-17: the palette that finds nothing says so beside its list', async () => {
    const page = await stage.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill('zzzz nothing');
    await page.getByRole('status').filter({ hasText: en['palette.empty'] }).waitFor();
    await expectAccessible(page, 'a palette without results');
  });

  it('WEB-88: a reply that was stopped says who did it; the message that continues it is marked as automatic', async () => {
    const { page } = await openProject(stage);
    await send(page, '/sim slow 50 /sim long 4000');
    await replyText(page, 1).first().waitFor();
    await button(page, en['composer.stop']).click();
    await reply(page, 1).getByText(en['reply.stopped']).waitFor();
    await button(reply(page, 1), en['reply.continue']).click();
    await userMessage(page, 2).getByText(en['conversation.automatic'], { exact: true }).waitFor();
    expect(await userMessage(page, 1).getByText(en['conversation.automatic'], { exact: true }).count()).toBe(0);
  });

  it('WEB-27: on a phone, no field is so small that touching it zooms', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], {}, PHONE);
    await button(page, en['sidebar.toggle']).click();
    const fields = [composer(page), page.getByRole('searchbox', { name: en['projects.search'] })];
    for (const field of fields) {
      const size = await field.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
      expect(size).toBeGreaterThanOrEqual(16);
    }
    const thinking = page.getByRole('combobox', { name: en['composer.thinking'] });
    expect(await thinking.evaluate((element) => parseFloat(getComputedStyle(element).fontSize))).toBe(16);
  });

  it('WEB-27: on a phone, what a pointer would bring out is there: the actions of an edited message, and of code', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim markdown'], {}, PHONE);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    const nodeId = groups[0]?.user?.id ?? '';
    await (await stage.server.client.edit(projectId, { nodeId, content: '/sim markdown again', ref: 'main' })).text();
    await page.reload();
    await userMessage(page, 1)
      .getByRole('group', { name: / of 2$/ })
      .waitFor();
    await replyText(page, 1).locator('.code-block').first().waitFor();
    const faint = await page.locator('.user .icon-button, .code-block > .icon-button').evaluateAll((all) =>
      all.flatMap((element) => {
        for (let each: Element | null = element; each !== null; each = each.parentElement)
          if (getComputedStyle(each).opacity === '0') return [element.getAttribute('aria-label')];
        return [];
      }),
    );
    expect(faint).toEqual([]);
  });

  it('WEB-27: the keyboard of a phone makes the page smaller instead of covering what is written', async () => {
    const page = await stage.open('/', PHONE);
    // No browser without a screen has such a keyboard: what it is told is all that can be seen.
    const told = await page.locator('meta[name="viewport"]').getAttribute('content');
    expect(told).toContain('interactive-widget=resizes-content');
  });

  it('WEB-27: on a phone, a tap tells what a badge and a mark mean', async () => {
    const { page } = await openConversation(stage, ['/sim redacted', '/sim say two'], {}, PHONE);
    // Again, if need be: to bring a mark into sight the page is scrolled, which closes what a tap has just opened.
    const told = (mark: Locator, words: string) =>
      eventually(async () => {
        await mark.tap();
        return page.getByRole('tooltip').filter({ hasText: words }).count();
      }).toBe(1);
    await told(reply(page, 1).locator('.badge.thought').first(), en['badge.Partial.why']);
    await told(userMessage(page, 2).locator('.fidelity-hit'), en['fidelity.verbatim']);
    await expectAccessible(page, 'a mark that is explained');
  });

  it('WEB-27: on a phone of 360 pixels, everything below the message box is in one row, also while a reply runs', async () => {
    const { page } = await openProject(
      stage,
      { thinking: 'medium' },
      { ...PHONE, viewport: { width: 360, height: 740 } },
    );
    await composer(page).fill('/sim slow 50 /sim long 4000');
    await button(page, en['composer.send']).tap();
    await button(page, en['composer.stop']).waitFor();
    const rows = await page.locator('.composer-bar > *').evaluateAll(
      (all) =>
        new Set(
          all.flatMap((element) => {
            const { top, bottom, right } = element.getBoundingClientRect();
            return right > window.innerWidth ? [-1] : top === bottom ? [] : [Math.round((top + bottom) / 2)];
          }),
        ).size,
    );
    expect(rows).toBe(1);
    await button(page, en['composer.stop']).click();
    await reply(page, 1).getByText(en['reply.stopped']).waitFor();
  });
});
