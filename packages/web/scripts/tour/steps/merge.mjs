// What is new on a branch, brought into another one: the dialog in its states, the message that it becomes, the tree.
import { button, choose, dialogOf, openRowMenu, showPanel } from '../hands.mjs';
import { COLOURS, EVERY } from '../views.mjs';

const HEIGHT =
  '/sim say The **Brocken** is the highest of them.\n\n- 1,141 metres\n- fog on 300 days a year\n- snow until May';

async function mergeProject(visit, more = 0) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', {
    name: 'Mountains of the north',
    provider: 'simulated',
    model: 'sim-bound',
  });
  const fork = (name, from) => program.call('POST', `/projects/${project.id}/branches`, { name, fromRef: from });
  await program.say(project.id, 'main', '/sim say The Harz is the highest range of the north. Which part of it?');
  await fork('the Brocken and what grows on it', 'main');
  await program.say(project.id, 'the Brocken and what grows on it', HEIGHT);
  await program.say(project.id, 'the Brocken and what grows on it', '/sim say Heather, dwarf birches and spruces.');
  await program.say(project.id, 'main', '/sim say Rivers begin there: Bode, Oker, Innerste.');
  for (let number = 1; number <= more; number += 1) await fork(`valley ${number}`, 'main');
  return { program, project };
}

async function openDialog(visit) {
  await openRowMenu(visit, 'the Brocken and what grows on it');
  await choose(visit, 'merge.open');
  const dialog = await dialogOf(visit);
  await dialog.locator('.merge-new').waitFor();
  return dialog;
}

async function seeMerge(visit) {
  const { program, project } = await mergeProject(visit);
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.reply-footer').last().waitFor();
  const dialog = await openDialog(visit);
  await visit.shot('answer');
  await dialog.getByRole('radio', { name: visit.t('merge.by.summary') }).check();
  await visit.shot('summary');
  await dialog.getByRole('radio', { name: visit.t('merge.by.messages') }).check();
  await visit.shot('messages');
  await button(dialog, visit.t('merge.save')).click();
  const merged = page.locator('.merged');
  await merged.waitFor();
  await page.waitForFunction(() => document.querySelector('.merged .prose .plain') === null);
  await visit.shot('message');
  await button(merged, visit.t('merged.open')).click();
  await merged.locator('.diff').waitFor();
  await merged.locator('.diff').scrollIntoViewIfNeeded();
  await visit.shot('origin');
  await showPanel(visit, 'graph');
  await page.locator('.graph-merge').waitFor();
  await visit.shot('tree');
}

async function seeStates(visit) {
  const { program, project } = await mergeProject(visit, 12);
  const from = 'the Brocken and what grows on it';
  await program.call('POST', `/projects/${project.id}/merge`, { from, into: 'valley 3', by: 'answer' });
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.reply-footer').last().waitFor();
  const dialog = await openDialog(visit);
  await dialog.getByRole('searchbox').fill('valley');
  await dialog.getByRole('radio', { name: /valley 3/ }).check();
  await dialog.locator('.notice').waitFor();
  await visit.shot('nothing-new');
  await dialog.getByRole('radio', { name: /valley 4/ }).check();
  await dialog.getByRole('radio', { name: visit.t('merge.by.summary') }).check();
  await dialog.getByRole('textbox').last().fill('/sim fault stall 1');
  await button(dialog, visit.t('merge.save.summary')).click();
  await dialog.locator('.pulse').waitFor();
  await visit.shot('writing');
  await button(dialog, visit.t('dialog.cancel')).click();
  await dialog.getByText(visit.t('merge.cancelled')).waitFor();
  await dialog.getByRole('textbox').last().fill('/sim refuse');
  await button(dialog, visit.t('merge.save.summary')).click();
  await dialog.getByRole('alert').waitFor();
  await visit.shot('refused');
  await program.call('POST', `/projects/${project.id}/merge`, { from, into: 'main', by: 'summary' });
  await program.call('DELETE', `/projects/${project.id}/branches/${encodeURIComponent(from)}`);
  await page.goto(`${program.url}/p/${project.id}/b/main`);
  const merged = page.locator('.merged');
  await button(merged, visit.t('merged.open')).click();
  await merged.locator('.diff').waitFor();
  await visit.shot('deleted');
}

export const merge = [
  { name: 'merge', views: EVERY, run: seeMerge },
  { name: 'merge-states', views: COLOURS, run: seeStates },
];
