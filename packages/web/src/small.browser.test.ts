import { describe, expect, it } from 'vitest';
import { en } from './i18n/en.ts';
import { zh } from './i18n/zh.ts';
import {
  button,
  composer,
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
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
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
    await page.waitForTimeout(200);
    const point = (await panel.getByRole('treeitem').last().boundingBox()) ?? { x: 0, y: -1, width: 0, height: 0 };
    expect(point.y + point.height).toBeGreaterThan(box.y);
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

  it('WEB-87: a project that does not exist is a sentence and a way back, without its id', async () => {
    stage.allow(/404/);
    const id = '0b0f86a6-7a3a-4c0f-8f0e-0e7d2b0a5a11';
    const page = await stage.open(`/p/${id}/b/main`);
    await page.getByText(en['error.project']).waitFor();
    expect(await page.locator('main').innerText()).not.toContain(id);
    await page.getByRole('link', { name: en['palette.home'] }).click();
    await page.getByRole('heading', { name: en['conversation.empty.title'] }).waitFor();
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
  });
});
