import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  button,
  ended,
  ENDLESS,
  openConversation,
  renderedText,
  reply,
  replyText,
  send,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

/** Browsers keep these from pages that come from another machine over plain HTTP, such as those of a phone at home. */
async function withoutSecureContext(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
    Reflect.deleteProperty(Crypto.prototype, 'subtle');
    Reflect.deleteProperty(Navigator.prototype, 'clipboard');
    Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
  });
  await page.reload();
  await ended(page, 1);
  expect(await page.evaluate(() => 'randomUUID' in crypto)).toBe(false);
}

it('WEB-782: over plain HTTP a message is sent, and another one waits for its turn and follows', async () => {
  const { page, projectId } = await openConversation(stage, ['/sim say one']);
  await withoutSecureContext(page);
  await send(page, ENDLESS);
  await replyText(page, 2).first().waitFor();
  await send(page, '/sim say three');
  await page.locator('.queued-text').getByText('/sim say three').waitFor();
  await button(page, en['composer.stop']).click();
  await reply(page, 3).getByText('three', { exact: true }).waitFor();
  await ended(page, 3);
  const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
  expect(groups.map(({ user }) => user?.content)).toEqual(['/sim say one', ENDLESS, '/sim say three']);
});

it('WEB-782: over plain HTTP words of a reply are asked about, here and on a branch', async () => {
  const { page, projectId } = await openConversation(stage, ['/sim say oak']);
  await withoutSecureContext(page);
  const form = page.getByRole('form', { name: en['selection.label'] });
  for (const [question, how] of [
    ['/sim say here', 'selection.ask.here'],
    ['/sim say there', 'selection.ask'],
  ] as const) {
    await renderedText(page, 1);
    await replyText(page, 1)
      .getByText('oak', { exact: true })
      .dblclick({ position: { x: 10, y: 10 } });
    await form.getByRole('textbox').fill(question);
    await button(form, en[how]).click();
    await form.waitFor({ state: 'detached' });
  }
  await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
  await ended(page, 2);
  const { branches } = await stage.server.client.listBranches(projectId);
  expect(branches.length).toBe(3);
});
