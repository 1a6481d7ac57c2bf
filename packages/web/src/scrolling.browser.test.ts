import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { button, eventually, send } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const TURNS = 200;
const messages = Array.from({ length: TURNS * 2 }, (_, index) => ({
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `Message ${index}. ${'More words. '.repeat((index * 7) % 60)}`,
}));

type Message = NonNullable<Parameters<typeof stage.server.client.appendMessages>[1]['messages']>[number];
const question: Message = { role: 'user', content: 'And then?' };

async function openWith(messages: readonly Message[]): Promise<Page> {
  const { client } = stage.server;
  const { project } = await client.createProject({});
  await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
  const { branches } = await client.listBranches(project.id);
  await client.appendMessages(branches[0]?.tipId ?? '', { ref: 'main', messages: [...messages] });
  return stage.open(`/p/${project.id}/b/main`);
}

async function openLong(): Promise<Page> {
  const page = await openWith(messages);
  await page
    .locator('.conversation')
    .getByText(`Message ${TURNS * 2 - 1}.`)
    .waitFor();
  return page;
}

/** How far the conversation is from its end. */
const fromEnd = (page: Page): Promise<number> =>
  page
    .locator('.conversation')
    .evaluate(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight));

/** Waits until nothing has changed the height of the conversation for thirty frames. */
async function stillness(page: Page): Promise<void> {
  await page.locator('.conversation').evaluate(
    (conversation) =>
      new Promise<void>((resolve) => {
        let before = -1;
        let frames = 0;
        const look = (): void => {
          frames = conversation.scrollHeight === before ? frames + 1 : 0;
          before = conversation.scrollHeight;
          if (frames < 30) requestAnimationFrame(look);
          else resolve();
        };
        look();
      }),
  );
}

/** The number of the topmost message on the screen. */
const topmost = (page: Page): Promise<number> =>
  page.locator('.conversation').evaluate((conversation) => {
    const top = conversation.getBoundingClientRect().top;
    const shown = [...conversation.querySelectorAll('.user-text')].filter(
      (text) => text.getBoundingClientRect().bottom > top,
    );
    return Math.min(...shown.map((text) => Number(/Message (\d+)/.exec(text.textContent)?.[1])));
  });

async function scrollUp(page: Page, pixels: number): Promise<void> {
  await page.locator('.conversation').hover();
  await page.mouse.wheel(0, -pixels);
}

describe('a long conversation', () => {
  it('WEB-18: keeps only what is near the screen in the page', async () => {
    const page = await openLong();
    expect(await page.locator('.turn-slot').count()).toBeLessThan(30);
  });

  it('WEB-18: loads older turns without moving what is being read', async () => {
    const page = await openLong();
    await eventually(() => fromEnd(page)).toBeLessThan(5);
    // Two pages above the first one. A page that moved the reader would skip sixty messages at once.
    for (let before = await topmost(page); before > 250;) {
      await scrollUp(page, 500);
      await page.waitForTimeout(60);
      const after = await topmost(page);
      expect(after).toBeLessThanOrEqual(before);
      expect(before - after).toBeLessThan(20);
      before = after;
    }
  });

  it.each([
    ['formatted', 'Ordinary words.\n\n'.repeat(2_500)],
    ['plain', 'no end '.repeat(50_000)],
  ])('WEB-19: begins at its end also where that is the end of a very long reply, %s', async (_, text) => {
    const page = await openWith(
      ['A short reply.', 'Another one.', text].flatMap((content) => [question, { role: 'assistant', content }]),
    );
    await page.locator('.turn-slot').last().getByText(text.slice(0, 6)).first().waitFor();
    await page.locator('.prose .plain').first().waitFor({ state: 'detached' });
    expect(await page.locator('.conversation').evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(50_000);
    await eventually(() => fromEnd(page)).toBeLessThan(5);
  });

  it('WEB-779: begins at its end although turns turn out lower than expected while others grow', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ thinking: 'off' });
    const say = async (message: string): Promise<unknown> =>
      (await client.chat(project.id, { ref: 'main', message })).text();
    for (const words of ['Limes.', 'Eight metres.']) await say(`Which trees suit an avenue? /sim say ${words}`);
    await client.updateBranch(project.id, 'main', { thinking: 'high' });
    for (const message of ['Think about it again.', 'And who waters them?']) await say(message);
    const page = await stage.open(`/p/${project.id}/b/main`, { viewport: { width: 1280, height: 720 } });
    await page.locator('.reply-footer').nth(3).waitFor();
    await page.locator('.prose .plain').first().waitFor({ state: 'detached' });
    await stillness(page);
    expect(await fromEnd(page)).toBeLessThan(5);
  });

  it('WEB-19: begins at its end, lets the reader go, and returns when they ask or send', async () => {
    const page = await openLong();
    await eventually(() => fromEnd(page)).toBeLessThan(5);
    await scrollUp(page, 900);
    await eventually(() => fromEnd(page)).toBeGreaterThan(300);
    await button(page, en['conversation.end']).click();
    await eventually(() => fromEnd(page)).toBeLessThan(5);
    await scrollUp(page, 900);
    await eventually(() => fromEnd(page)).toBeGreaterThan(300);
    await send(page, '/sim say Here again.');
    await page.locator('.reply').getByText('Here again.', { exact: true }).waitFor();
    await eventually(() => fromEnd(page)).toBeLessThan(5);
  });
});
