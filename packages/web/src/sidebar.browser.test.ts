import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { branchLink, button, composer, eventually, onBranch, openConversation } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const tree = (page: Page) => page.getByRole('tree', { name: en['branches.title'] });
const row = (page: Page, name: string) =>
  tree(page)
    .getByRole('treeitem')
    .filter({ has: page.locator('.branch-name').getByText(name, { exact: true }) });
const projects = (page: Page, label: string = en['projects.label']) =>
  page.getByRole('list', { name: label, exact: true });
const names = (page: Page, label?: string) => projects(page, label).locator('.project-row > a').allInnerTexts();
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.querySelector('.branch-name')?.textContent ?? activeElement?.getAttribute('aria-label');
  });

/** A project whose branches were forked from one another, each a moment after the last. */
async function forked() {
  const place = await openConversation(stage, ['/sim say one']);
  const { client } = stage.server;
  await client.createBranch(place.projectId, { name: 'fork', fromRef: 'main' });
  await (await client.chat(place.projectId, { ref: 'fork', message: '/sim say two' })).text();
  await client.createBranch(place.projectId, { name: 'deep', fromRef: 'fork' });
  await row(place.page, 'deep').waitFor();
  return place;
}

async function fromMenu(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).hover();
  await button(page, `${en['reply.more']}: ${name}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

describe('branches', () => {
  it('WEB-120: branches are a tree by where they were forked, each with its model and its last use', async () => {
    const { page } = await forked();
    const levels = () =>
      tree(page)
        .getByRole('treeitem')
        .evaluateAll((items) =>
          items.map((item) => [item.querySelector('.branch-name')?.textContent, item.getAttribute('aria-level')]),
        );
    expect(await levels()).toEqual([
      ['main', '1'],
      ['fork', '2'],
      ['deep', '3'],
    ]);
    const about = row(page, 'deep').locator('.branch-about');
    expect(await about.locator('.provider-model').innerText()).not.toBe('');
    expect(await about.locator('time').innerText()).toBe(en['time.now']);
    const left = (name: string) =>
      row(page, name)
        .getByRole('link')
        .evaluate((link) => link.getBoundingClientRect().x);
    expect(await left('deep')).toBeGreaterThan(await left('fork'));
    await row(page, 'main').locator('.twisty').click();
    expect(await levels()).toEqual([['main', '1']]);
    await expectAccessible(page, 'the tree of branches');
  });

  it('WEB-121: one Tab leads into the tree, arrows through it, Enter opens, another Tab leads to the menu', async () => {
    const { page } = await forked();
    await row(page, 'main').focus();
    await page.keyboard.press('ArrowDown');
    await eventually(() => focused(page)).toBe('fork');
    await page.keyboard.press('ArrowRight');
    await eventually(() => focused(page)).toBe('deep');
    await page.keyboard.press('ArrowLeft');
    await eventually(() => focused(page)).toBe('fork');
    await page.keyboard.press('ArrowLeft');
    await row(page, 'deep').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await row(page, 'deep').waitFor();
    await page.keyboard.press('Enter');
    await onBranch(page, 'fork');
    await page.keyboard.press('Tab');
    await eventually(() => focused(page)).toBe(`${en['reply.more']}: fork`);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('End');
    await eventually(() => focused(page)).toBe('deep');
  });

  it('WEB-120: three hundred branches are found by typing, and the tree scrolls within itself', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Three hundred' });
    await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
    for (let index = 0; index < 300; index += 1)
      await client.createBranch(project.id, { name: `branch ${index}`, fromRef: 'main' });
    const page = await stage.open(`/p/${project.id}/b/main`);
    await row(page, 'branch 299').waitFor({ state: 'attached' });
    expect(await tree(page).evaluate((element) => element.clientHeight)).toBeLessThan(600);
    await page.getByRole('searchbox', { name: en['projects.search'] }).fill('branch 271');
    await eventually(() => tree(page).getByRole('treeitem').count()).toBe(2);
    await branchLink(page, 'branch 271').click();
    await onBranch(page, 'branch 271');
  });

  it('WEB-122: a project without a branch in its address opens on the branch that was used last', async () => {
    const { page, projectId } = await forked();
    const { client } = stage.server;
    await (await client.chat(projectId, { ref: 'fork', message: '/sim say newest' })).text();
    await page.goto(`${stage.server.url}/p/${projectId}`);
    await onBranch(page, 'fork');
    await client.updateBranch(projectId, 'fork', { hidden: true });
    await page.goto(`${stage.server.url}/p/${projectId}`);
    await onBranch(page, 'deep');
  });
});

describe('projects', () => {
  it('WEB-123: they are listed by last use; pinned ones are on top, and a folder holds its own', async () => {
    const { client } = stage.server;
    const [a, b, c] = [
      await client.createProject({ name: 'Alpha' }),
      await client.createProject({ name: 'Beta' }),
      await client.createProject({ name: 'Gamma' }),
    ];
    const page = await stage.open(`/p/${c.project.id}/b/main`);
    await composer(page).waitFor();
    await eventually(async () => (await names(page)).slice(0, 3)).toEqual(['Gamma', 'Beta', 'Alpha']);
    await (await client.chat(b.project.id, { ref: 'main', message: '/sim say used' })).text();
    await eventually(async () => (await names(page)).slice(0, 3)).toEqual(['Beta', 'Gamma', 'Alpha']);
    await fromMenu(page, 'Alpha', en['branches.pin']);
    await eventually(() => names(page, en['projects.pinned'])).toEqual(['Alpha']);
    await fromMenu(page, 'Beta', en['projects.folder']);
    const dialog = page.getByRole('dialog', { name: en['projects.folder.title'] });
    await dialog.getByRole('textbox', { name: en['projects.folder.new'] }).fill('Work');
    await button(dialog, en['projects.folder.move']).click();
    const folder = page.locator('.folder', { hasText: 'Work' });
    await folder.waitFor();
    expect(await page.getByRole('link', { name: 'Beta', exact: true }).count()).toBe(0);
    await folder.locator('summary').click();
    await eventually(() => names(page, 'Work')).toEqual(['Beta']);
    await expectAccessible(page, 'pinned projects and a folder');
    await page.reload();
    await eventually(() => names(page, 'Work')).toEqual(['Beta']);
    await fromMenu(page, 'Beta', en['projects.folder']);
    await button(dialog, en['projects.folder.none']).click();
    await folder.waitFor({ state: 'detached' });
    await eventually(async () => (await names(page))[0]).toBe('Beta');
    await client.updateProject(a.project.id, { pinned: false });
  });

  it('WEB-123: a turn that is over before it is heard of moves its project up, too', async () => {
    const { client } = stage.server;
    const [a, b] = [await client.createProject({ name: 'Earlier' }), await client.createProject({ name: 'Later' })];
    const page = await stage.open(`/p/${b.project.id}/b/main`);
    await eventually(async () => (await names(page)).slice(0, 2)).toEqual(['Later', 'Earlier']);
    // To a page that watches again, the turn is told once, as it is by then.
    const turn = { projectId: a.project.id, projectName: 'Earlier', branchId: a.branch.id, branch: 'main' };
    const tell = async (route: Route): Promise<void> => {
      const { turnId } = await run(a.project.id);
      const lines = [
        { type: 'open', turns: [] },
        { type: 'turn', ...turn, turnId, status: 'complete' },
      ];
      await route.fulfill({ body: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
    };
    const run = async (id: string) => {
      await (await client.chat(id, { ref: 'main', message: '/sim say quick' })).text();
      return (await client.history(id, { ref: 'main' })).groups.at(-1) ?? { turnId: null };
    };
    await page.route(/\/api\/watch/, tell, { times: 1 });
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await eventually(async () => (await names(page)).slice(0, 2)).toEqual(['Earlier', 'Later']);
  });

  it('WEB-183: a project is dragged into a folder and out of it', async () => {
    const { client } = stage.server;
    const made = [await client.createProject({ name: 'Filed' }), await client.createProject({ name: 'Loose' })];
    await client.updateProject(made[0]?.project.id ?? '', { folder: 'Drawer' });
    const page = await stage.open('/');
    const folder = page.locator('.folder', { hasText: 'Drawer' });
    const link = (name: string) => page.getByRole('link', { name, exact: true }).and(page.locator('.project-row > a'));
    await link('Loose').dragTo(folder.locator('summary'));
    await link('Loose').waitFor({ state: 'detached' });
    await folder.locator('summary').click();
    await eventually(async () => [...(await names(page, 'Drawer'))].sort()).toEqual(['Filed', 'Loose']);
    // At the top: the middle of a long list is scrolled to while the button is down, and another project is dragged.
    await link('Filed').dragTo(projects(page), { targetPosition: { x: 40, y: 10 } });
    await eventually(() => names(page, 'Drawer')).toEqual(['Loose']);
    expect(await names(page)).toContain('Filed');
    for (const { project } of made) await client.deleteProject(project.id);
  });

  it('WEB-123: the open project is visible with its branches, also in a folder that is closed', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ name: 'Put away' });
    await client.updateProject(project.id, { folder: 'Closed' });
    const page = await stage.open(`/p/${project.id}/b/main`);
    await branchLink(page, 'main').waitFor();
    expect(await page.getByRole('link', { name: 'Put away', exact: true }).count()).toBe(1);
    await page.locator('.folder', { hasText: 'Closed' }).locator('summary').click();
    await projects(page, 'Closed').getByRole('treeitem', { name: /^main/ }).waitFor();
    expect(await tree(page).count()).toBe(1);
    await client.deleteProject(project.id);
  });

  it('WEB-124: several are chosen with checkboxes and Shift, and filed, pinned or deleted at once, with one undo', async () => {
    const { client } = stage.server;
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1)
      ids.push((await client.createProject({ name: `Many ${index}` })).project.id);
    const page = await stage.open();
    await button(page, en['select.start']).click();
    const box = (index: number) => page.getByRole('checkbox', { name: `Many ${index}`, exact: true });
    await box(4).click();
    await box(1).click({ modifiers: ['Shift'] });
    await page.getByText(en['select.count'].replace('{count}', '4')).waitFor();
    await box(2).click();
    await page.getByText(en['select.count'].replace('{count}', '3')).waitFor();
    await expectAccessible(page, 'choosing several projects');
    await button(page, en['projects.folder']).click();
    await page.getByRole('textbox', { name: en['projects.folder.new'] }).fill('Three');
    await button(page, en['projects.folder.move']).click();
    await page.locator('.folder', { hasText: 'Three' }).locator('summary').click();
    await eventually(() => names(page, 'Three')).toEqual(['Many 4', 'Many 3', 'Many 1']);
    await button(page, en['select.start']).click();
    await box(4).click();
    await box(1).click({ modifiers: ['Shift'] });
    await button(page, en['select.delete']).click();
    const question = page.getByRole('dialog', { name: en['select.delete'] });
    await question.getByText(en['select.delete.sure'].replace('{count}', '3')).waitFor();
    await button(question, en['select.delete']).click();
    await page.getByText(en['undo.projects'].replace('{count}', '3')).waitFor();
    await page.locator('.folder', { hasText: 'Three' }).waitFor({ state: 'detached' });
    await button(page, en['undo.button']).click();
    await eventually(async () => (await client.listProjects({ folder: 'Three' })).total).toBe(3);
    await eventually(() => names(page, 'Three')).toEqual(['Many 4', 'Many 3', 'Many 1']);
    for (const id of ids) await client.deleteProject(id);
  });
});

describe('what has not come yet', () => {
  it('WEB-129: a panel that loads has its shape, but only if it takes a moment', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(
      new RegExp(`/api/(projects/${projectId}/(graph|context)|diagnostics|providers|trash)`),
      async (route) => {
        await held;
        await route.continue();
      },
    );
    await page.reload();
    await page.locator('.panel-skeleton[data-shape="graph"]').waitFor();
    // The panel's code comes first, and its skeleton takes the place of that one's.
    await eventually(() =>
      page.locator('.panel-skeleton').evaluate((element) => getComputedStyle(element).animationDelay),
    ).toBe('0.15s');
    await page.getByRole('tab', { name: en['panel.context'] }).click();
    await page.locator('.panel-skeleton[data-shape="context"]').waitFor();
    await expectAccessible(page, 'panels that load');
    await page.getByRole('link', { name: en['diagnostics.title'] }).click();
    await page.locator('.panel-skeleton[data-shape="tables"]').waitFor();
    await page.getByRole('link', { name: en['trash.title'] }).click();
    await page.locator('.panel-skeleton[data-shape="list"]').waitFor();
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await page.locator('.settings .panel-skeleton').waitFor();
    await page.goto(`${stage.server.url}/p/${projectId}/compare/main/main`);
    await page.locator('.panel-skeleton[data-shape="columns"]').waitFor();
    answer();
    await page.locator('.panel-skeleton').first().waitFor({ state: 'detached' });
  });
});
