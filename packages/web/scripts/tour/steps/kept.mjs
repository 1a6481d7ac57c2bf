// What people keep beside messages, and replies that are judged.
import { button, exact, formatted } from '../hands.mjs';
import { BOTH, COLOURS } from '../views.mjs';

/** A conversation with a star, a bookmark, a long note, and a reply in two versions. */
async function keptProject(visit) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'Kept for later' });
  await program.say(project.id, 'main', 'Why do trees branch where they do?');
  await program.say(project.id, 'main', 'And who decides it?');
  const { groups } = await program.call('GET', `/projects/${project.id}/history?ref=main`);
  const [first, second] = groups;
  const beside = (id, change) => program.call('PUT', `/projects/${project.id}/nodes/${id}/annotations`, change);
  await beside(first.user.id, { star: true });
  const note = 'Compare this with what the book says about buds and light.\nThe second paragraph is the good one.';
  await beside(first.reply[0].id, { star: true, addBookmark: 'Where buds grow', note });
  return { program, project, first, second };
}

async function seeBeside(visit) {
  const { program, project } = await keptProject(visit);
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.kept-note').waitFor();
  await formatted(page);
  await page.locator('.kept-note').scrollIntoViewIfNeeded();
  const footer = page.locator('.reply-footer').first();
  await footer.hover();
  await visit.shot('card');
  await button(footer, visit.t('reply.more')).click();
  await page.getByRole('menuitem', exact(visit.t('kept.edit'))).waitFor();
  await visit.shot('menu');
  await page.getByRole('menuitem', exact(visit.t('kept.edit'))).click();
  await page.getByRole('dialog').waitFor();
  await visit.shot('dialog');
}

async function seeList(visit) {
  const { program } = await keptProject(visit);
  const page = await visit.open(`${program.url}/kept`);
  await page.locator('.kept-entry').first().waitFor();
  await visit.shot('all');
  await button(page, visit.t('kept.kind.note')).click();
  await page.waitForFunction(() => document.querySelectorAll('.kept-entry svg').length === 0);
  await visit.shot('notes');
}

async function seeNothing(visit) {
  const { program } = await visit.worlds.visit('empty');
  const page = await visit.open(`${program.url}/kept`);
  await page.getByText(visit.t('kept.empty')).waitFor();
  await visit.shot();
}

async function seeJudging(visit) {
  const { program, project, second } = await keptProject(visit);
  const [reply] = second.reply;
  await program.call('POST', `/projects/${project.id}/regenerate`, { ref: 'main', nodeId: reply.id });
  const page = await visit.open(`${program.url}/p/${project.id}/b/main/versions/${reply.id}`);
  await page.waitForFunction(() => document.querySelectorAll('.versions > section .version-actions').length > 1);
  await page.getByRole('checkbox', exact(visit.t('judge.blind'))).check();
  await visit.shot('blind');
  await button(page.locator('.versions > section').first(), visit.t('judge.better')).click();
  await page.locator('.versions .badge').first().waitFor();
  await visit.shot('judged');
  await page.goto(`${program.url}/diagnostics`);
  const results = page.getByRole('region', exact(visit.t('judge.title')));
  await results.waitFor();
  await results.scrollIntoViewIfNeeded();
  await visit.shot('results');
}

export const kept = [
  { name: 'beside', views: BOTH, run: seeBeside },
  { name: 'list', views: BOTH, run: seeList },
  { name: 'nothing', views: COLOURS, run: seeNothing },
  { name: 'judging', views: BOTH, run: seeJudging },
];
