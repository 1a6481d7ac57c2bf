// Projects and branches in the sidebar, and what happened elsewhere.
import { button, choose, dialogOf, exact, openRowMenu, showAndClose, showPanel, showSidebar } from '../hands.mjs';
import { BOTH, COLOURS, EVERY } from '../views.mjs';

async function readFiled(visit, preferences = {}) {
  const { program, filed } = await visit.worlds.visit('filed');
  const page = await visit.open(`${program.url}/p/${filed.talk}/b/main`, preferences);
  await page.locator('.reply-footer').last().waitFor();
  return { page, program, filed };
}

async function seeInOrder(visit) {
  const { page } = await readFiled(visit, { openFolders: ['Office'], notifyAnswered: true });
  await showSidebar(visit);
  await page.getByRole('link', exact('Invoices')).waitFor();
  await visit.shot();
}

async function seeSelection(visit) {
  const { page } = await readFiled(visit, { notifyAnswered: true });
  await showSidebar(visit);
  await button(page, visit.t('select.start')).click();
  await page.getByRole('checkbox', exact('Postgres upgrade')).click();
  await page.getByRole('checkbox', exact('Notes on optics')).click({ modifiers: ['Shift'] });
  await visit.shot();
  await button(page, visit.t('projects.folder')).click();
  await showAndClose(visit, await dialogOf(visit), 'folder');
  await button(page, visit.t('select.delete')).click();
  await showAndClose(visit, await dialogOf(visit), 'delete');
}

async function seeProjectMenu(visit) {
  await readFiled(visit, { openFolders: ['Office'], notifyAnswered: true });
  await openRowMenu(visit, 'Invoices');
  await visit.shot();
  await choose(visit, 'projects.folder');
  await showAndClose(visit, await dialogOf(visit), 'folder');
}

async function seeNews(visit) {
  const { page, program, filed } = await readFiled(visit);
  await showSidebar(visit);
  await page.locator('.project-row .news-mark[data-kind="waiting"]').waitFor();
  await program.say(filed.talk, 'shorter', '/sim say Done.');
  await page.locator('.branch-row .news-mark').first().waitFor();
  await program.say(filed.talk, 'on one machine', '/sim fault 400').catch(() => undefined);
  await page.locator('.branch-row .news-mark').nth(1).waitFor();
  await visit.shot();
}

async function seeSkeletons(visit) {
  const { program, filed } = await visit.worlds.visit('filed');
  const page = await visit.open(program.url, { notifyAnswered: true });
  await page.route(/\/api\/(projects\/[^/]+\/(graph|context|history)|diagnostics|trash)/, () => undefined);
  await page.goto(`${program.url}/p/${filed.talk}/b/main`);
  await page.locator('.conversation .skeleton').waitFor();
  for (const panel of ['graph', 'context', 'details']) {
    await showPanel(visit, panel);
    await page.waitForTimeout(400);
    await visit.shot(panel);
  }
  for (const path of ['diagnostics', 'trash', `p/${filed.talk}/compare/main/shorter`]) {
    await page.goto(`${program.url}/${path}`);
    await page.locator('.panel-skeleton').first().waitFor();
    await page.waitForTimeout(400);
    await visit.shot(path.split('/').at(path.startsWith('p/') ? 2 : 0));
  }
}

async function seeSearch(visit) {
  const { page } = await readFiled(visit, { notifyAnswered: true });
  const box = await showSidebar(visit);
  await box.fill('then');
  await page.locator('.search-hit').first().waitFor();
  await visit.shot();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await visit.shot('keys');
  await box.fill('unheard-of');
  await page.locator('.search-help').waitFor();
  await visit.shot('none');
  await page.route(/\/api\/search/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), indexing: true } });
  });
  await box.fill('logs role:assistant');
  await page.getByText(visit.t('search.indexing')).waitFor();
  await visit.shot('indexing');
}

async function seePaletteSearch(visit) {
  const { page } = await readFiled(visit, { notifyAnswered: true });
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', exact(visit.t('palette.title'))).fill('then');
  await page.locator('.palette-hit').first().waitFor();
  await visit.shot();
}

export const sidebar = [
  { name: 'in-order', views: EVERY, run: seeInOrder },
  { name: 'selection', views: COLOURS, run: seeSelection },
  { name: 'filed-menu', views: BOTH, run: seeProjectMenu },
  { name: 'news', views: COLOURS, run: seeNews },
  { name: 'find', views: COLOURS, run: seeSearch },
  { name: 'palette-find', views: COLOURS, run: seePaletteSearch },
  { name: 'skeletons', views: COLOURS, run: seeSkeletons },
];
