// One message to several models: who is asked and for how much, and their answers side by side.
import { button, choose, composer, dialogOf, exact, openMessageMenu, send, startProject } from '../hands.mjs';
import { COLOURS } from '../views.mjs';

const QUESTION =
  '/sim slow 150 /sim say An oak grows about **half a metre** a year while it is young. After a century it hardly grows at all: what it gains, it gains in width, and in the dark heartwood that keeps it standing.';

async function seeAsking(visit) {
  const page = await startProject(visit);
  await composer(visit).fill(QUESTION);
  await visit.shot('composer');
  await button(page, visit.t('ask.open')).click();
  const dialog = await dialogOf(visit);
  await button(dialog, visit.t('ask.add')).click();
  await dialog.locator('.ask-targets > div').nth(2).waitFor();
  await dialog.locator('.ask-price strong').waitFor();
  // The price follows when the fields have not changed for a moment.
  await page.waitForTimeout(800);
  await visit.shot('dialog');
  await button(dialog, visit.t('ask.send')).click();
  await page.locator('.versions .badge').nth(2).waitFor();
  await page.locator('.versions .prose').first().waitFor();
  await visit.shot('running');
  await page.locator('.judge-bar').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.versions .prose .plain').length === 0);
  await page
    .getByRole('checkbox', exact(visit.t('answers.keep')))
    .first()
    .uncheck();
  await visit.shot('answers');
  await button(page, visit.t('answers.keepThese')).click();
  await page.locator('.undo').waitFor();
  await visit.shot('kept');
}

async function seeAgain(visit) {
  const page = await startProject(visit);
  await send(visit, '/sim say Half a metre a year.');
  await page.locator('.reply-footer').last().waitFor();
  await openMessageMenu(visit, page.locator('.user').last());
  await visit.shot('menu');
  await choose(visit, 'ask.open');
  const dialog = await dialogOf(visit);
  await dialog.locator('.ask-price strong').waitFor();
  await visit.shot('dialog');
}

export const ask = [
  { name: 'asking', views: COLOURS, run: seeAsking },
  { name: 'again', views: COLOURS, run: seeAgain },
];
