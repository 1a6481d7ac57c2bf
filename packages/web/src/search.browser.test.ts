import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { button, composer, eventually } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const box = (page: Page) => page.getByRole('searchbox', { name: en['projects.search'] });
const results = (page: Page) => page.getByRole('region', { name: en['search.results'] });
const hits = (page: Page) => results(page).locator('.search-hit');
const marked = (page: Page) => page.locator('[data-highlighted]');
const isFocused = (page: Page, at: number) =>
  page
    .locator('[data-result]')
    .nth(at)
    .evaluate((element) => element === document.activeElement);

/** A project in which a word was said once, far from its end. */
async function talk(name: string, word: string): Promise<string> {
  const { client } = stage.server;
  const { project } = await client.createProject({ name });
  for (const message of [
    '/sim say hello',
    `/sim say Tell me of ${word} and of tea`,
    ...Array<string>(2).fill('/sim say more'),
  ])
    await (await client.chat(project.id, { ref: 'main', message })).text();
  return project.id;
}

/** The page once it has everything. */
async function atHome(name: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await stage.open('/', options);
  if (options === undefined) await page.getByRole('link', { name, exact: true }).first().waitFor();
  return page;
}

describe('search', () => {
  it('WEB-240: words are found in what was said, by project, with the hits marked, and lead to their place', async () => {
    const first = await talk('Kitchen', 'Schneeglöckchen');
    await talk('Garden', 'Schneeglöckchen');
    const page = await stage.open(`/p/${first}/b/main`);
    await composer(page).waitFor();
    await box(page).fill('schneeglockchen role:assistant');
    await eventually(() => results(page).locator('h3').allInnerTexts()).toEqual(['Garden', 'Kitchen']);
    expect(await hits(page).locator('mark').allInnerTexts()).toEqual(['Schneeglöckchen', 'Schneeglöckchen']);
    // What the search left out is not shown as if it had been found.
    expect(await page.locator('.project-apart').count()).toBe(0);
    await hits(page).last().click();
    await page.waitForURL(/\/b\/main\?node=/);
    await marked(page).getByText('Schneeglöckchen').first().waitFor();
  });

  it('WEB-241: the arrow keys go through the results and back, Enter opens the place', async () => {
    await talk('Harbour', 'kittiwake');
    const page = await atHome('Harbour');
    await box(page).fill('kittiwake');
    await eventually(() => hits(page).count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await eventually(() => isFocused(page, 0)).toBe(true);
    await page.keyboard.press('ArrowDown');
    await eventually(() => isFocused(page, 1)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await eventually(() => box(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await marked(page).getByText('kittiwake').first().waitFor();
  });

  it('WEB-241: Enter right after typing opens what is found then, and not what was found for the words before', async () => {
    await talk('Heath', 'nightjar');
    await talk('Marsh', 'bittern');
    const page = await atHome('Heath');
    await box(page).fill('nightjar');
    await eventually(() => hits(page).count()).toBe(2);
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/api\/search\?q=bittern/, async (route) => {
      await asked;
      await route.continue();
    });
    const requested = page.waitForRequest(/\/api\/search\?q=bittern/);
    await box(page).fill('bittern');
    await page.keyboard.press('Enter');
    await requested;
    expect(new URL(page.url()).pathname).toBe('/');
    answer();
    await marked(page).getByText('bittern').first().waitFor();
  });

  it('WEB-242: nothing found, a query that cannot be answered and an index that is not ready are told', async () => {
    await talk('Desk', 'stapler');
    const page = await atHome('Desk');
    await box(page).fill('unheardof');
    await results(page).getByText(en['search.none']).waitFor();
    await results(page).getByText(en['search.help']).waitFor();
    stage.allow(/\/api\/search\?q=stapler\+is/);
    await box(page).fill('stapler is:shiny');
    await results(page).getByText('There are has:file, is:starred').waitFor();
    await page.route(/\/api\/search/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), indexing: true } });
    });
    await box(page).fill('stapler role:user');
    await results(page).getByText(en['search.indexing']).waitFor();
    await eventually(() => hits(page).count()).toBe(1);
    await page.unroute(/\/api\/search/);
    // It looks again by itself.
    await results(page).getByText(en['search.indexing']).waitFor({ state: 'detached' });
  });

  it('WEB-243: the palette finds messages too, after commands and names', async () => {
    await talk('Attic', 'sextant');
    const page = await atHome('Attic');
    await box(page).waitFor();
    await page.keyboard.press('Control+K');
    const palette = page.getByRole('combobox', { name: en['palette.title'] });
    await palette.fill('sextant role:assistant');
    const option = page.getByRole('option', { name: /sextant/ });
    await eventually(() => option.count()).toBe(1);
    await eventually(() => option.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await marked(page).getByText('sextant').first().waitFor();
  });

  it('WEB-244: a message that no branch leads to is found, and a branch to it is offered', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Loft' });
    await (await client.chat(project.id, { ref: 'main', message: '/sim say hello' })).text();
    await client.createBranch(project.id, { name: 'side', fromRef: 'main' });
    await (await client.chat(project.id, { ref: 'side', message: '/sim say a lost barometer' })).text();
    await client.deleteBranch(project.id, 'side');
    const page = await atHome('Loft');
    await box(page).fill('barometer role:assistant');
    await results(page).getByText(en['search.noBranch']).waitFor();
    await hits(page).click();
    await page.getByRole('dialog').waitFor();
    await button(page, en['dialog.cancel']).click();
  });

  it('WEB-245: on a phone a result opens its place, and the sidebar gives way', async () => {
    await talk('Cellar', 'hygrometer');
    const page = await atHome('Cellar', { viewport: { width: 390, height: 800 } });
    if (!(await box(page).isVisible())) await button(page, en['sidebar.toggle']).click();
    await box(page).fill('hygrometer role:assistant');
    await hits(page).click();
    await marked(page).getByText('hygrometer').first().waitFor();
    await eventually(() => box(page).isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
