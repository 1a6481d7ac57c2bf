import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { button, eventually, send, signal } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const TURNS = 500;
const LAST = TURNS * 2 - 1;
const messages = Array.from({ length: TURNS * 2 }, (_, index) => ({
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `Message ${index}. ${'More words. '.repeat((index * 7) % 60)}`,
}));

interface Opened {
  readonly page: Page;
  readonly projectId: string;
  /** The addresses of the history that were asked for. */
  readonly asked: string[];
  readonly nodeIds: readonly (string | null)[];
}

async function openLong(search: (nodeIds: readonly (string | null)[]) => string = () => ''): Promise<Opened> {
  const { client } = stage.server;
  const { project } = await client.createProject({});
  await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
  const { branches } = await client.listBranches(project.id);
  const { nodeIds } = await client.appendMessages(branches[0]?.tipId ?? '', { ref: 'main', messages });
  const page = await stage.open();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search: query } = new URL(request.url());
    if (pathname.endsWith('/history')) asked.push(query);
  });
  await page.goto(`${stage.server.url}/p/${project.id}/b/main${search(nodeIds)}`);
  await page.locator('.turn-slot').first().waitFor();
  return { page, projectId: project.id, asked, nodeIds };
}

const conversation = (page: Page) => page.locator('.conversation');
const shown = (page: Page, number: number) => conversation(page).getByText(`Message ${number}.`).first();

/** The numbers of the messages on the screen. */
const onScreen = (page: Page): Promise<readonly number[]> =>
  conversation(page).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return [...element.querySelectorAll('.user-text')]
      .filter((text) => text.getBoundingClientRect().bottom > top && text.getBoundingClientRect().top < bottom)
      .map((text) => Number(/Message (\d+)/.exec(text.textContent)?.[1]));
  });

async function scroll(page: Page, pixels: number): Promise<void> {
  await conversation(page).hover();
  await page.mouse.wheel(0, pixels);
  await page.waitForTimeout(60);
}

describe('going anywhere in a long conversation', () => {
  it('WEB-50: a link to an old message opens there with one reading, and goes on both ways', async () => {
    const { page, asked, nodeIds } = await openLong((ids) => `?node=${ids[400] ?? ''}`);
    await shown(page, 400).waitFor();
    await eventually(async () => (await onScreen(page)).includes(400)).toBe(true);
    // Around it, and again because of the first line of the watch: not page by page.
    expect(asked.every((query) => query.includes(`around=${nodeIds[400] ?? ''}`))).toBe(true);
    for (let at = 400; at < 460;) {
      await scroll(page, 700);
      const next = Math.max(...(await onScreen(page)));
      expect(next).toBeGreaterThanOrEqual(at);
      expect(next - at).toBeLessThan(40);
      at = next;
    }
    for (let at = 460; at > 340;) {
      await scroll(page, -700);
      const next = Math.min(...(await onScreen(page)));
      expect(next).toBeLessThanOrEqual(at + 10);
      at = next;
    }
  });

  it('WEB-50: Home and End lead to both ends at once', async () => {
    const { page, asked } = await openLong();
    await shown(page, LAST).waitFor();
    await conversation(page).press('Home');
    await conversation(page).getByText('/sim say start').waitFor();
    await eventually(() => conversation(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await conversation(page).press('End');
    await shown(page, LAST).waitFor();
    expect(asked.length).toBeLessThan(10);
  });

  it('WEB-50: a message that was sent, and the button, lead to the end from anywhere', async () => {
    const { page } = await openLong((ids) => `?node=${ids[100] ?? ''}`);
    await shown(page, 100).waitFor();
    await button(page, en['conversation.end']).click();
    await shown(page, LAST).waitFor();
    await conversation(page).press('Home');
    await conversation(page).getByText('/sim say start').waitFor();
    await send(page, '/sim say At the end again.');
    await page.locator('.reply').getByText('At the end again.', { exact: true }).waitFor();
  });

  it('WEB-50: a reply that ends while the end of the conversation is still on its way is shown', async () => {
    const { page } = await openLong();
    await shown(page, LAST).waitFor();
    await conversation(page).press('Home');
    await conversation(page).getByText('/sim say start').waitFor();
    const isRead = signal();
    const isAnswered = signal();
    // The end is read before the message is stored, and arrives after the reply was stored.
    await page.route(/\/history\?ref=[^&]*&limit=30$/, async (route) => {
      const response = await route.fetch();
      isRead.give();
      await isAnswered.given;
      // Whatever the page reads because of the reply has the time to come first.
      await page.waitForTimeout(1_000);
      await route.fulfill({ response });
    });
    await page.route(/\/chat$/, async (route) => {
      await isRead.given;
      await route.fulfill({ response: await route.fetch() });
      isAnswered.give();
    });
    await send(page, '/sim say Sooner than the end.');
    await page.locator('.reply').getByText('Sooner than the end.', { exact: true }).waitFor();
  });

  it('WEB-50: a link to a message of nowhere shows the conversation', async () => {
    stage.allow(/404/);
    const { page } = await openLong(() => '?node=nowhere');
    await shown(page, LAST).waitFor();
  });
});
