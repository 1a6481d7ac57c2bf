import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { branchLink, button, composer, eventually } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const COUNT = 450;
const ids: string[] = [];
const nameOf = (index: number): string => `Project ${String(index).padStart(4, '0')}`;
const NEWEST = nameOf(COUNT - 1);
const FAR = nameOf(7);

beforeAll(async () => {
  for (let index = 0; index < COUNT; index += 1)
    ids.push((await stage.server.client.createProject({ name: nameOf(index) })).project.id);
});

const projects = (page: Page) => page.getByRole('list', { name: en['projects.label'] });
const link = (page: Page, name: string) => projects(page).getByRole('link', { name, exact: true });
const searchBox = (page: Page) => page.getByRole('searchbox', { name: en['projects.search'] });
const listings = (page: Page): string[] => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/projects(\?|$)/.test(request.url())) asked.push(new URL(request.url()).search);
  });
  return asked;
};
const scroll = (page: Page, share: number): Promise<void> =>
  page.locator('.sidebar-scroll').evaluate((element, at) => {
    element.scrollTop = element.scrollHeight * at;
  }, share);

describe('many projects', () => {
  it('WEB-36: only what is near the screen is in the page, and only what was looked at is read', async () => {
    const page = await stage.open();
    await link(page, NEWEST).waitFor();
    const asked = listings(page);
    await page.reload();
    await link(page, NEWEST).waitFor();
    expect(await projects(page).getByRole('listitem').count()).toBeLessThan(60);
    expect(asked.filter((query) => query.includes('pinned=false'))).toHaveLength(1);
    expect(asked.every((query) => query.includes('limit=100'))).toBe(true);
    await scroll(page, 1);
    await link(page, nameOf(0)).waitFor();
    expect(await projects(page).getByRole('listitem').count()).toBeLessThan(60);
    // The end was reached without reading what is in between.
    expect(asked.filter((query) => query.includes('pinned=false')).length).toBeLessThanOrEqual(3);
    expect(await projects(page).getByRole('listitem').last().getAttribute('aria-setsize')).toBe(String(COUNT));
  });

  it('WEB-186: pages that were scrolled past are not waited for', async () => {
    const page = await stage.open();
    await link(page, NEWEST).waitFor();
    const given: string[] = [];
    page.on('requestfailed', (request) => given.push(new URL(request.url()).search));
    // The second page of the list never comes.
    await page.route(/\/api\/projects\?.*offset=200/, () => new Promise(() => undefined));
    const asked = page.waitForRequest(/offset=200/);
    await scroll(page, 0.5);
    await asked;
    await scroll(page, 1);
    await link(page, nameOf(0)).waitFor();
    await eventually(async () => given.some((query) => query.includes('offset=200'))).toBe(true);
  });

  it('WEB-37: a project that is not loaded is found by its name, in the sidebar and by the palette', async () => {
    const page = await stage.open();
    await link(page, NEWEST).waitFor();
    await searchBox(page).fill('ect 0007');
    await eventually(() => projects(page).getByRole('link').allInnerTexts()).toEqual([FAR]);
    await searchBox(page).fill('nothing like it');
    await page.getByText(en['search.none']).waitFor();
    await searchBox(page).fill('');
    await link(page, NEWEST).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill('ect 0008');
    await eventually(() => page.getByRole('option', { selected: true }).allInnerTexts()).toEqual([nameOf(8)]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith(`/p/${ids[8]}`));
  });

  it('WEB-38: the open project shows its branches, wherever in the list it stands', async () => {
    const page = await stage.open(`/p/${ids[7]}/b/main`);
    await composer(page).waitFor();
    await branchLink(page, 'main').waitFor();
    expect(await page.getByRole('link', { name: FAR, exact: true }).count()).toBe(1);
    await link(page, NEWEST).click();
    await page.waitForURL((url) => url.pathname.startsWith(`/p/${ids.at(-1)}`));
    await projects(page)
      .getByRole('tree', { name: en['branches.title'] })
      .getByRole('link', { name: 'main' })
      .waitFor();
    expect(await page.getByRole('tree', { name: en['branches.title'] }).count()).toBe(1);
    await searchBox(page).fill('ect 0007');
    await eventually(() => projects(page).getByRole('link').allInnerTexts()).toEqual([FAR]);
    // What the search left out does not look like something that it found.
    await branchLink(page, 'main').waitFor({ state: 'detached' });
    await searchBox(page).fill('main');
    await branchLink(page, 'main').waitFor();
  });

  it('WEB-38: one that stands below the edge of the window is scrolled to; one that is in sight stays where it is', async () => {
    const page = await stage.open(`/p/${ids[COUNT - 40]}/b/main`);
    await composer(page).waitFor();
    await eventually(() =>
      branchLink(page, 'main').evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight;
      }),
    ).toBe(true);
    await page.goto(`${stage.server.url}/p/${ids[COUNT - 3]}/b/main`);
    await branchLink(page, 'main').waitFor();
    await link(page, NEWEST).waitFor();
    expect(await page.locator('.sidebar-scroll').evaluate((element) => element.scrollTop)).toBe(0);
  });

  it('WEB-38: archived projects stay one click away, with their number; a renamed one is listed under its new name', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Before' });
    await client.updateProject(ids[3] ?? '', { archived: true });
    const page = await stage.open(`/p/${project.id}/b/main`);
    await link(page, 'Before').waitFor();
    await client.updateProject(project.id, { name: 'After' });
    await link(page, 'After').waitFor();
    expect(await link(page, nameOf(3)).count()).toBe(0);
    await page.getByText(`${en['projects.archived']} · 1`).click();
    await page
      .getByRole('list', { name: en['projects.archived'] })
      .getByRole('link', { name: nameOf(3), exact: true })
      .waitFor();
    await client.updateProject(ids[3] ?? '', { archived: false });
    await client.deleteProject(project.id);
  });

  it('WEB-38: a question about a project never passes to another that takes its place', async () => {
    const { client } = stage.server;
    const beside = ids.at(-2) ?? '';
    const page = await stage.open(`/p/${beside}/b/main`);
    await link(page, NEWEST).hover();
    await button(page, `${en['reply.more']}: ${NEWEST}`).click();
    await page.getByRole('menuitem', { name: en['projects.delete'] }).click();
    await page.getByText(en['projects.delete.sure'].replace('{name}', NEWEST)).waitFor();
    const { project } = await client.createProject({ name: 'Newer' });
    // The list is read again, because a project in it was renamed.
    await client.updateProject(beside, { name: 'Renamed meanwhile' });
    await page.getByText('Newer', { exact: true }).waitFor({ state: 'attached' });
    expect(await page.getByText(en['projects.delete.sure'].replace('{name}', 'Newer')).count()).toBe(0);
    await client.deleteProject(project.id);
  });

  it('WEB-778: the open one of hundreds of branches is in sight; they scroll within their list, and a menu that names them within itself', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Branchy' });
    await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
    for (let index = 0; index < 150; index += 1)
      await client.createBranch(project.id, { name: `branch ${index}`, fromRef: 'main' });
    const page = await stage.open(`/p/${project.id}/b/main`);
    await branchLink(page, 'branch 149').waitFor({ state: 'attached' });
    const { height, content } = await page
      .getByRole('tree', { name: en['branches.title'] })
      .evaluate((element) => ({ height: element.clientHeight, content: element.scrollHeight }));
    expect(height).toBeLessThan(600);
    expect(content).toBeGreaterThan(3_000);
    // The one that is open is in sight, wherever in the list it stands.
    await page.goto(`${stage.server.url}/p/${project.id}/b/branch%20140`);
    await eventually(() =>
      branchLink(page, 'branch 140').evaluate((link) => {
        const frame = link.closest('[role="tree"]')?.getBoundingClientRect();
        const { top, bottom } = link.getBoundingClientRect();
        return frame !== undefined && top >= frame.top && bottom <= frame.bottom;
      }),
    ).toBe(true);
    await page.goto(`${stage.server.url}/p/${project.id}/b/main`);
    await branchLink(page, 'main').hover();
    await button(page, `${en['reply.more']}: main`).click();
    await page.getByRole('menuitem', { name: en['branches.compare'] }).press('ArrowRight');
    const menu = page.getByRole('menu').last();
    await menu.getByRole('menuitem', { name: 'branch 149', exact: true }).scrollIntoViewIfNeeded();
    const box = await menu.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    await menu.getByRole('menuitem', { name: 'branch 149', exact: true }).click();
    await page.waitForURL(/compare/);
  });
});
