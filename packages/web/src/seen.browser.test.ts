import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  act,
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
import { useStage } from './testing/stage.ts';

// What was found by looking at the pictures of the tour.

const stage = useStage();
const LAPTOP = { viewport: { width: 1280, height: 720 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

async function boxOf(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await part.boundingBox();
  if (box === null) throw new Error('It is not on the screen.');
  return box;
}
const middleOf = async (part: Locator): Promise<number> => {
  const { y, height } = await boxOf(part);
  return y + height / 2;
};

describe('where things are', () => {
  it.each([
    ['a laptop', LAPTOP],
    ['a phone', PHONE],
  ])(
    'WEB-184: while a reply is written, the composer of %s is one row, with what sends at its end',
    async (_, options) => {
      const { project } = await stage.server.client.createProject({ thinking: 'medium' });
      const page = await stage.open(`/p/${project.id}/b/main`, options);
      // Not with Enter, which begins a line on a phone.
      await composer(page).fill('/sim slow 200 /sim long 4000');
      await button(page, en['composer.send']).click();
      const [stop, next] = [button(page, en['composer.stop']), button(page, en['composer.queue'])];
      await stop.waitFor();
      expect(Math.abs((await middleOf(stop)) - (await middleOf(next)))).toBeLessThan(3);
      expect(Math.abs((await middleOf(page.locator('.composer-bar .model'))) - (await middleOf(next)))).toBeLessThan(3);
      // Side by side, not touching.
      const { x, width } = await boxOf(stop);
      expect((await boxOf(next)).x).toBeGreaterThanOrEqual(x + width + 2);
      await stop.click();
      await stop.waitFor({ state: 'hidden' });
    },
  );

  it('WEB-13: a heading in a reply begins where its words begin, also in a comparison', async () => {
    const { page, projectId } = await openImported(stage, '## A heading\n\nSome words.');
    const { client } = stage.server;
    const { groups } = await client.history(projectId, { ref: 'main' });
    await client.createBranch(projectId, {
      name: 'side',
      fromRef: 'main',
      fromNodeId: groups[0]?.reply.at(-1)?.id ?? '',
    });
    await page.goto(`${stage.server.url}/p/${projectId}/compare/main/side`);
    const left = page.getByRole('region', { name: 'main' });
    await left.locator('.prose h2').waitFor();
    const start = (part: Locator): Promise<number> =>
      part.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return Math.round(range.getBoundingClientRect().left);
      });
    expect(await start(left.locator('.prose h2'))).toBe(await start(left.locator('.prose p')));
  });

  it('WEB-188: a message that is opened for editing is in sight with all of its buttons', async () => {
    const many = Array.from({ length: 4 }, () => '/sim say one');
    const { page } = await openConversation(stage, many, {}, { viewport: { width: 1280, height: 560 } });
    await userMessage(page, 3).scrollIntoViewIfNeeded();
    // Its last line is at the lower edge.
    await page.locator('.conversation').evaluate((scroller) => {
      const message = scroller.querySelectorAll('.user')[2];
      scroller.scrollTop +=
        (message?.getBoundingClientRect().bottom ?? 0) - scroller.getBoundingClientRect().bottom + 4;
    });
    await act(userMessage(page, 3), en['reply.edit']);
    const lowest = async (): Promise<number> => {
      const { y, height } = await boxOf(button(page, en['edit.save']));
      const frame = await boxOf(page.locator('.conversation'));
      return frame.y + frame.height - (y + height);
    };
    await eventually(lowest).toBeGreaterThanOrEqual(0);
  });

  it('WEB-107: entries of the settings have no bullets, also after a conversation was on the screen', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await page.getByRole('link', { name: en['settings.title'] }).click();
    const list = page.locator('.provider-list').first();
    await list.waitFor();
    expect(await list.evaluate((element) => getComputedStyle(element).listStyleType)).toBe('none');
  });

  it('WEB-40: a dialog that begins with a choice begins at what is chosen', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await button(page, `${en['reply.more']}: main`).click();
    await page.getByRole('menuitem', { name: en['export.menu'] }).click();
    await page.getByRole('dialog', { name: en['export.title'] }).waitFor();
    const focused = () =>
      page.evaluate(() => document.activeElement instanceof HTMLInputElement && document.activeElement.checked);
    await eventually(focused).toBe(true);
  });
});

describe('what is said', () => {
  it('WEB-185: that a container expired is said with the reply, while it is written and afterwards', async () => {
    const { page, projectId } = await openProject(stage, { provider: 'simulated', thinking: 'off' });
    await stage.server.client.updateBranch(projectId, 'main', { providerTools: [{ tool: 'code_execution' }] });
    await send(page, '/sim code print(1)');
    await ended(page, 1);
    await send(page, '/sim expire /sim slow 200 /sim long 40000');
    const notice = reply(page, 2).getByText(en['notice.container_expired']);
    await notice.waitFor();
    expect(await turn(page, 2).locator('.reply-footer').count(), 'the reply is still being written').toBe(0);
    await expectAccessible(page, 'a notice in a reply');
    await replyText(page, 2).first().waitFor();
    await button(page, en['composer.stop']).click();
    await ended(page, 2);
    await notice.waitFor();
    await page.reload();
    await notice.waitFor();
    expect(await reply(page, 1).getByText(en['notice.container_expired']).count()).toBe(0);
  });

  it('WEB-320: the files that a new container got are named with the reply', async () => {
    const { page, projectId } = await openProject(stage, { provider: 'simulated', thinking: 'off' });
    await stage.server.client.updateBranch(projectId, 'main', { providerTools: [{ tool: 'code_execution' }] });
    await page
      .locator('form.composer input[type="file"][multiple]')
      .setInputFiles({ name: 'trees.csv', mimeType: 'text/csv', buffer: Buffer.from('year,trees') });
    await page.locator('button.file-open').first().waitFor();
    await send(page, '/sim code print(1)');
    await ended(page, 1);
    await send(page, '/sim expire /sim slow 200 /sim long 40000');
    const notice = reply(page, 2).locator('.reply-notice');
    const [start = ''] = en['notice.container_expired.brought'].split('{files}');
    await eventually(() => notice.textContent()).toContain(`${start}\u2068trees.csv\u2069.`);
    // A turn that is stopped before its first word has no reply.
    await replyText(page, 2).first().waitFor();
    await button(page, en['composer.stop']).click();
    await ended(page, 2);
    await notice.waitFor();
  });

  it('WEB-10: the context panel shows words, not their Markdown', async () => {
    const { page } = await openImported(stage, '## A `heading` with **marks**\n\nSome words.');
    const panel = await openPanel(page, 'context');
    await panel.getByText('A heading with marks').waitFor();
  });

  it('WEB-187: a conversation that came without times has none', async () => {
    const { client } = stage.server;
    const messages = [
      { role: 'user', content: 'Timeless?' },
      { role: 'assistant', content: 'Timeless.' },
    ];
    const body = new TextEncoder().encode(JSON.stringify({ title: 'Without times', messages }));
    await (await client.importFile(body)).text();
    const { projects } = await client.listProjects({ search: 'Without times', limit: 5 });
    const page = await stage.open(`/p/${projects[0]?.id ?? ''}`);
    await ended(page, 1);
    const row = page.locator('.branch-row').first();
    await row.waitFor();
    expect(await row.locator('time').count()).toBe(0);
    const panel = await openPanel(page, 'details');
    await panel.getByText(en['time.unknown']).first().waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/1970|yr ago/);
  });

  it('WEB-771: the calls of a reply name their provider as the header does, not by its id', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one'], { provider: 'simulated_responses' });
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    await page.evaluate(() => localStorage.setItem('bough.preferences', JSON.stringify({ developer: true })));
    await page.goto(`${stage.server.url}/p/${projectId}/b/main?node=${groups[0]?.reply[0]?.id ?? ''}`);
    const panel = await openPanel(page, 'details');
    const calls = panel.locator('.calls');
    const { providers } = await stage.server.client.listProviders();
    const label = providers.find(({ id }) => id === 'simulated_responses')?.label ?? '';
    await calls.getByText(label).first().waitFor();
    expect(await panel.innerText()).not.toContain('simulated_responses');
  });

  it('WEB-14: diagnostics name providers as the settings do', async () => {
    await openConversation(stage, ['/sim think 1 200 hello'], {
      provider: 'simulated_responses',
      model: 'sim-summary',
    });
    const page = await stage.open('/diagnostics');
    const { providers } = await stage.server.client.listProviders();
    const label = providers.find(({ id }) => id === 'simulated_responses')?.label ?? '';
    await page.getByRole('cell', { name: label }).first().waitFor();
    await page.locator('.chart-provider').getByText(label, { exact: true }).waitFor();
  });
});
