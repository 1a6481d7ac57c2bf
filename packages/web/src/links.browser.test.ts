import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { actFromMenu, eventually, onBranch, openConversation, turn, userMessage } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

async function copied(page: Page, number: number): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // It is said for a moment only: whoever begins to look afterwards may come too late.
  await Promise.all([
    page.waitForFunction(
      (words) =>
        Array.from(document.querySelectorAll('[role="status"]')).some(
          (each) => each.textContent.trim() === words && each.getBoundingClientRect().width > 40,
        ),
      en['reply.linked'],
    ),
    actFromMenu(page, userMessage(page, number), en['reply.link']),
  ]);
  return page.evaluate(() => navigator.clipboard.readText());
}

const marked = (page: Page) => page.locator('[data-highlighted]');
const hasFocus = (page: Page): Promise<boolean> =>
  marked(page)
    .first()
    .evaluate((element) => element === document.activeElement);

describe('links to messages', () => {
  it('WEB-775: that a link was copied is seen; it opens the conversation at the message, marked and with the keyboard on it', async () => {
    const messages = Array.from({ length: 8 }, (_, index) => `/sim say ${`Reply ${index}. `.repeat(60)}`);
    const { page } = await openConversation(stage, messages);
    await turn(page, 3).scrollIntoViewIfNeeded();
    const link = await copied(page, 3);
    expect(link).toContain('/b/main?node=');
    const other = await page.context().newPage();
    await other.goto(link);
    await marked(other).getByText('Reply 2.').first().waitFor();
    expect(await marked(other).count()).toBe(1);
    await eventually(() => hasFocus(other)).toBe(true);
    expect(await marked(other).evaluate((element) => element.getBoundingClientRect().top < window.innerHeight)).toBe(
      true,
    );
    // The mark is brief.
    const outline = () => marked(other).evaluate((element) => getComputedStyle(element).outlineColor);
    await eventually(outline).toMatch(/rgba\(0, 0, 0, 0\)|transparent/);
    expect(await hasFocus(other)).toBe(true);
  });

  it('WEB-116: it leads there after its branch was renamed, and from a branch that does not lead to it', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const { client } = stage.server;
    const { nodes } = await client.graph(projectId);
    await client.createBranch(projectId, { name: 'side', fromNodeId: nodes[1]?.id ?? '' });
    await (await client.chat(projectId, { ref: 'side', message: 'only on the side /sim say three' })).text();
    await page.goto(`${stage.server.url}/p/${projectId}/b/side`);
    await turn(page, 2).waitFor();
    const link = await copied(page, 2);
    await client.updateBranch(projectId, 'side', { name: 'another name' });
    await page.goto(link);
    await onBranch(page, 'another name');
    await marked(page).getByText('only on the side').waitFor();
    // On a branch that does not lead to it.
    await page.goto(link.replace('/b/side', '/b/main'));
    stage.allow(/404/);
    await onBranch(page, 'another name');
    await marked(page).getByText('only on the side').waitFor();
  });
});
