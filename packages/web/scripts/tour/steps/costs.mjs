// What was spent, what the next message costs, and what became of caches.
import { button, choose, dialogOf, exact, formatted, openMessageMenu, showPanel } from '../hands.mjs';
import { COLOURS, EVERY } from '../views.mjs';

const DAY_MS = 86_400_000;

/** The rows of today, again for days of the past: a program that was started just now has only one day. */
async function addPast(page, days) {
  await page.route('**/api/costs?*', async (route) => {
    const answer = await route.fetch();
    const { rows } = await answer.json();
    const past = Array.from({ length: days }, (_, at) => at + 1)
      // No calls on some days.
      .filter((ago) => ago % 7 !== 3)
      .flatMap((ago) =>
        rows.map((row) => ({
          ...row,
          day: new Date(Date.parse(row.day) - ago * DAY_MS).toISOString().slice(0, 10),
          cost: row.cost === null ? null : row.cost * (1 + ((ago * 37) % 11)),
          unpriced: ago % 5 === 0 ? row.unpriced : 0,
        })),
      );
    await route.fulfill({ json: { rows: [...rows, ...past] } });
  });
}

async function seeSpent(visit) {
  const { program } = await visit.worlds.visit('paid');
  const page = await visit.open(`${program.url}/diagnostics`);
  const heading = page.getByRole('heading', exact(visit.t('costs.title')));
  await heading.waitFor();
  await page.locator('.cost-chart').waitFor();
  await heading.evaluate((found) => found.scrollIntoView());
  await visit.shot('one-day');
  await addPast(page, 40);
  await page.reload();
  await page.locator('.cost-day').nth(20).waitFor();
  await heading.evaluate((found) => found.scrollIntoView());
  await visit.shot('many-days');
  await page.getByText(visit.t('costs.by.project'), { exact: true }).click();
  const findings = page.getByRole('heading', exact(visit.t('costs.misses')));
  await findings.evaluate((found) => found.scrollIntoView({ block: 'center' }));
  await visit.shot('findings');
}

async function seeNothingSpent(visit) {
  const { program } = await visit.worlds.visit('empty');
  const page = await visit.open(`${program.url}/diagnostics`);
  const heading = page.getByRole('heading', exact(visit.t('costs.title')));
  await heading.waitFor();
  await heading.scrollIntoViewIfNeeded();
  await visit.shot();
}

async function openPaid(visit, project = 'paid', branch = 'main', preferences = {}) {
  const { program, ...projects } = await visit.worlds.visit('paid');
  const page = await visit.open(`${program.url}/p/${projects[project]}/b/${encodeURIComponent(branch)}`, preferences);
  await page.locator('.reply-footer').last().waitFor();
  await formatted(page);
  return page;
}

async function seeEstimate(visit) {
  await openPaid(visit);
  const panel = await showPanel(visit, 'context');
  await panel.locator('.estimate').waitFor();
  await visit.shot('priced');
  await visit.end();
  await openPaid(visit, 'unpriced');
  const other = await showPanel(visit, 'context');
  await other.locator('.estimate').waitFor();
  await visit.shot('unknown');
}

async function seeSwitch(visit) {
  const page = await openPaid(visit);
  await openMessageMenu(visit, page.locator('.reply-footer').last());
  await choose(visit, 'reply.regenerate.other');
  const dialog = await dialogOf(visit);
  await dialog.getByLabel(visit.t('branch.model')).first().selectOption('claude-haiku-4-5');
  await dialog.locator('.estimate').waitFor();
  await dialog.locator('.estimate').scrollIntoViewIfNeeded();
  await visit.shot();
}

async function seeSeveral(visit) {
  const page = await openPaid(visit);
  const footer = page.locator('.reply-footer').last();
  await footer.hover();
  await button(footer, visit.t('versions.several')).click();
  await page.getByRole('menuitem').locator('small').first().waitFor();
  await visit.shot('menu');
  await page.getByRole('menuitem').nth(3).click();
  await dialogOf(visit);
  await visit.shot('number');
}

async function seeFacts(visit) {
  const page = await openPaid(visit);
  // It closes when the conversation scrolls, which it does until its end is in place: then once more.
  const facts = page.locator('.facts').last();
  for (let tries = 0; tries < 5 && !(await page.getByRole('tooltip').isVisible()); tries += 1) {
    await page.waitForTimeout(800);
    await facts.scrollIntoViewIfNeeded();
    await facts.click();
    await page.waitForTimeout(200);
  }
  await page.getByRole('tooltip').waitFor();
  await visit.shot();
}

async function seeBranch(visit) {
  const { missed } = await visit.worlds.visit('paid');
  const page = await openPaid(visit, 'paid', 'main', { developer: true });
  const panel = await showPanel(visit, 'details');
  await panel.locator('.branch-costs').waitFor();
  await panel.locator('.branch-costs').scrollIntoViewIfNeeded();
  await visit.shot('costs');
  await page.goto(`${page.url().split('?')[0]}?node=${missed}`);
  await page.locator('.reply-footer').last().waitFor();
  await (await showPanel(visit, 'details')).locator('.calls').waitFor();
  await page.locator('.calls').last().scrollIntoViewIfNeeded();
  await visit.shot('calls');
}

async function seeCompaction(visit) {
  const page = await openPaid(visit);
  await openMessageMenu(visit, page.locator('.reply-footer').last());
  await choose(visit, 'compact.open');
  const dialog = await dialogOf(visit);
  await dialog.locator('.compact-preview').waitFor();
  await visit.shot();
}

export const costs = [
  { name: 'spent', views: EVERY, run: seeSpent },
  { name: 'nothing-spent', views: COLOURS, run: seeNothingSpent },
  { name: 'estimate', views: EVERY, run: seeEstimate },
  { name: 'switch-price', views: COLOURS, run: seeSwitch },
  { name: 'several-price', views: COLOURS, run: seeSeveral },
  { name: 'cache-facts', views: COLOURS, run: seeFacts },
  { name: 'branch-costs', views: EVERY, run: seeBranch },
  { name: 'compact-price', views: EVERY, run: seeCompaction },
];
