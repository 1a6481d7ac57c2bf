// Questions that are asked again and again: their sets, what a round will cost, and its table.
import { button, dialogOf, exact } from '../hands.mjs';
import { COLOURS } from '../views.mjs';

const QUESTIONS = [
  '/sim say An oak grows about half a metre a year while it is young; after a century it hardly grows at all. What it gains, it gains in width.',
  '/sim say Because leaves cost more in winter than they earn.',
  '/sim fault 400',
  ...Array.from({ length: 60 }, (_, at) => `/sim say Answer number ${at + 4}.`),
];
const TARGETS = [
  { provider: 'simulated', model: 'sim-thinker' },
  { provider: 'simulated_chat', model: 'sim-thinker', thinking: 'high' },
];

/** A set with a round that is over. */
async function asked(visit) {
  const { program } = await visit.worlds.visit('story');
  const { sets } = await program.call('GET', '/question-sets');
  const known = sets.find(({ name }) => name === 'What trees do');
  const from = {
    questions: QUESTIONS.map((text, at) => ({ text, ...(at === 1 ? { expected: 'Leaves cost.' } : {}) })),
  };
  const set =
    known ??
    (await program.call('POST', '/question-sets', { name: 'What trees do', systemPrompt: 'Be brief.', from })).set;
  let round = set.rounds[0];
  if (round === undefined) {
    const started = { targets: TARGETS, limit: 0.5, atOnce: 16 };
    ({ round } = await program.call('POST', `/question-sets/${set.id}/rounds`, started));
  }
  while (round.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    ({ round } = await program.call('GET', `/rounds/${round.id}?limit=1`));
  }
  return { program, set, round };
}

async function seeSets(visit) {
  const { program, set } = await asked(visit);
  const page = await visit.open(`${program.url}/question-sets`);
  await page.locator('.sets-list li').first().waitFor();
  await visit.shot('list');
  await button(page, visit.t('sets.new')).click();
  const dialog = await dialogOf(visit);
  await dialog.getByLabel(visit.t('sets.questions'), { exact: true }).fill('Why do leaves fall?\nHow old is an oak?');
  await visit.shot('new');
  await dialog.getByText(visit.t('sets.source.branch'), { exact: true }).click();
  await dialog
    .getByRole('combobox', exact(visit.t('export.branch')))
    .locator('option')
    .first()
    .waitFor({ state: 'attached' });
  await visit.shot('branch');
  await page.keyboard.press('Escape');
  await page.goto(`${program.url}/question-sets/${set.id}`);
  await page.locator('.sets-questions-list li').first().waitFor();
  await visit.shot('set');
  await button(page, visit.t('rounds.start')).click();
  const ask = await dialogOf(visit);
  await ask.locator('.ask-price strong').waitFor();
  await page.waitForTimeout(800);
  await visit.shot('ask');
}

async function seeRound(visit) {
  const { program, set, round } = await asked(visit);
  const page = await visit.open(`${program.url}/question-sets/${set.id}/rounds/${round.id}`);
  await page.locator('.round-words').nth(3).waitFor();
  await visit.shot('table');
  await page.getByRole('heading', exact(visit.t('rounds.answers'))).scrollIntoViewIfNeeded();
  await visit.shot('answers');
  const from = { file: Array.from({ length: 4 }, () => '/sim slow 300 /sim long 900').join('\n') };
  const name = `Slowly ${Date.now()}`;
  const { set: slow } = await program.call('POST', '/question-sets', { name, from });
  const wish = { targets: TARGETS, limit: 2 };
  const { round: running } = await program.call('POST', `/question-sets/${slow.id}/rounds`, wish);
  await page.goto(`${program.url}/question-sets/${slow.id}/rounds/${running.id}`);
  await page.locator('.round-cell .badge').first().waitFor();
  await visit.shot('running');
  await button(page, visit.t('rounds.limit.change')).click();
  await dialogOf(visit);
  await visit.shot('limit');
  await program.call('PATCH', `/rounds/${running.id}`, { state: 'cancelled' });
}

export const sets = [
  { name: 'sets', views: COLOURS, run: seeSets },
  { name: 'round', views: COLOURS, run: seeRound },
];
