// What a visitor does on the page, in the words that the page itself uses.

export const exact = (name) => ({ name, exact: true });

export function button(within, name) {
  return within.getByRole('button', exact(name));
}

export function composer({ t, page }) {
  return page().getByRole('textbox', exact(t('composer.label')));
}

/** A branch of the story, read to its end. */
export async function readBranch(visit, name = 'main', preferences = {}, project = 'trees') {
  const { program, story } = await visit.worlds.visit('story');
  const id = typeof story[project] === 'string' ? story[project] : story[project].id;
  const page = await visit.open(`${program.url}/p/${id}/b/${encodeURIComponent(name)}`, preferences);
  await page.locator('.reply-footer').last().waitFor();
  await formatted(page);
  return page;
}

/** Markdown is shown as it was written until it is formatted. */
export async function formatted(page) {
  await page.waitForFunction(() => document.querySelector('.prose .plain') === null);
}

/** A fresh project for a step that changes something. */
export async function startProject(visit, more = {}, program = null) {
  const running = program ?? (await visit.worlds.visit('story')).program;
  const { project } = await running.call('POST', '/projects', {
    name: 'Something happens',
    thinking: 'medium',
    ...more,
  });
  const page = await visit.open(`${running.url}/p/${project.id}/b/main`);
  await composer(visit).waitFor();
  return page;
}

export async function send(visit, message) {
  await composer(visit).fill(message);
  // With the keyboard of a phone, Enter begins a line.
  if (visit.view.isTouch) await visit.page().locator('.composer .send').click();
  else await composer(visit).press('Enter');
}

/** In a narrow window the sidebar is hidden behind its button. */
export async function showSidebar(visit) {
  const search = visit.page().getByRole('searchbox', exact(visit.t('projects.search')));
  if (!(await search.isVisible())) await button(visit.page(), visit.t('sidebar.toggle')).click();
  await search.waitFor();
  return search;
}

export async function showPanel(visit, panel) {
  const tab = visit.page().getByRole('tab', exact(visit.t(`panel.${panel}`)));
  if (!(await tab.isVisible())) await button(visit.page(), visit.t('panel.toggle')).click();
  await tab.click();
  return visit.page().getByRole('tabpanel', exact(visit.t(`panel.${panel}`)));
}

export async function openRowMenu(visit, name) {
  await showSidebar(visit);
  await button(visit.page(), `${visit.t('reply.more')}: ${name}`).click();
  const menu = visit.page().getByRole('menu').first();
  await menu.waitFor();
  return menu;
}

export async function openMessageMenu(visit, message) {
  await message.hover();
  await button(message, visit.t('reply.more')).click();
  const menu = visit.page().getByRole('menu');
  await menu.waitFor();
  return menu;
}

export async function choose(visit, key) {
  await visit
    .page()
    .getByRole('menuitem', exact(visit.t(key)))
    .click();
}

export async function dialogOf(visit) {
  const dialog = visit.page().getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Photographs what covers the page, then closes it and checks where the keyboard focus went. */
export async function showAndClose(visit, overlay, label = '') {
  await visit.shot(label);
  await visit.close(overlay);
}
