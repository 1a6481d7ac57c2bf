// The settings: providers with their keys, own ones, and tool servers.
import { button, exact, send } from '../hands.mjs';
import { COLOURS, EVERY, SIZED } from '../views.mjs';

async function open(visit, hash, world = 'configured') {
  const { program } = await visit.worlds.visit(world);
  const page = await visit.open(`${program.url}/settings#${hash}`);
  await page.locator(`#${hash} .stored`).waitFor();
  return page;
}
const field = (within, label) => within.getByLabel(label, { exact: true });
async function unfold(page, selector) {
  const details = page.locator(selector);
  await details.locator('summary').first().click();
  await details.scrollIntoViewIfNeeded();
  return details;
}

async function seeSections(visit) {
  await open(visit, 'providers');
  await visit.shot();
}

async function seeTest(visit) {
  const page = await open(visit, 'providers');
  for (const id of ['lab', 'shed', 'openai']) {
    const provider = await unfold(page, `details[data-provider="${id}"]`);
    await button(provider, visit.t('settings.test')).click();
    await provider.locator('.test-result .good, .test-result .bad').waitFor();
    await provider.locator('.test-result').scrollIntoViewIfNeeded();
    await visit.shot(id);
  }
}

async function seeDeployment(visit) {
  const page = await open(visit, 'providers');
  await button(page, visit.t('settings.deployment.add')).click();
  const dialog = page.getByRole('dialog', exact(visit.t('settings.deployment.add')));
  await field(dialog, visit.t('settings.deployment.id')).fill('greenhouse');
  await visit.shot();
  await field(dialog, visit.t('settings.baseUrl')).fill('greenhouse');
  await button(dialog, visit.t('settings.headers.add')).click();
  await button(dialog, visit.t('settings.deployment.save')).click();
  await dialog.getByRole('alert').waitFor();
  await visit.shot('wrong');
}

async function seeToolServers(visit) {
  const page = await open(visit, 'tools');
  await page.locator('details[data-server="gone"] .badge.danger').waitFor();
  await page.locator('details[data-server="garden"] .badge.good').waitFor();
  await visit.shot();
  for (const name of ['garden', 'gone', 'greenhouse']) {
    await unfold(page, `details[data-server="${name}"]`);
    await visit.shot(name);
  }
}

async function seeToolServer(visit) {
  const page = await open(visit, 'tools');
  await button(page, visit.t('settings.tools.add')).click();
  const dialog = page.getByRole('dialog', exact(visit.t('settings.tools.add')));
  await field(dialog, visit.t('settings.deployment.id')).fill('weather');
  await field(dialog, visit.t('settings.tools.command')).fill('npx');
  await button(dialog, visit.t('settings.tools.env.add')).click();
  await visit.shot();
  await dialog.getByRole('radio', exact(visit.t('settings.tools.kind.address'))).check({ force: true });
  await field(dialog, visit.t('settings.tools.url')).fill('weather');
  await button(dialog, visit.t('settings.tools.save')).click();
  await dialog.getByRole('alert').waitFor();
  await visit.shot('wrong');
}

async function seeBudgets(visit) {
  const page = await open(visit, 'budgets', 'spent');
  await page.locator('[data-budget="This garden"] .badge.danger').waitFor();
  await page.locator('#budgets').scrollIntoViewIfNeeded();
  await visit.shot();
  await button(page, visit.t('budgets.add')).click();
  const dialog = page.getByRole('dialog', exact(visit.t('budgets.add')));
  await field(dialog, visit.t('settings.deployment.id')).fill('Each project');
  await field(dialog, visit.t('budgets.limit')).fill('2.5');
  await visit.shot('dialog');
}

async function seeOverBudget(visit) {
  const { program, project } = await visit.worlds.visit('spent');
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.budget-notices .over').waitFor();
  await visit.shot();
  await send(visit, 'And which of them bear fruit?');
  const question = page.getByRole('dialog', exact(visit.t('budgets.over.title')));
  await question.waitFor();
  await visit.shot('question');
  await button(question, visit.t('dialog.cancel')).click();
  await question.waitFor({ state: 'detached' });
  await visit.shot('left');
}

async function seeLocked(visit) {
  await open(visit, 'tools', 'locked');
  await visit.shot();
}

export const settings = [
  { name: 'settings-sections', views: EVERY, run: seeSections },
  { name: 'settings-test', views: COLOURS, run: seeTest },
  { name: 'settings-deployment', views: COLOURS, run: seeDeployment },
  { name: 'settings-tools', views: [...SIZED, ...COLOURS.slice(2)], run: seeToolServers },
  { name: 'settings-tool-server', views: COLOURS, run: seeToolServer },
  { name: 'settings-budgets', views: EVERY, run: seeBudgets },
  { name: 'over-budget', views: COLOURS, run: seeOverBudget },
  { name: 'settings-locked', views: COLOURS.slice(0, 1), run: seeLocked },
];
