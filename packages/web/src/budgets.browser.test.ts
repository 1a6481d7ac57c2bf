import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually, send } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage({ budgets: { filed: { tokens: 1_000_000_000, client: 'codex' } } });

/** A conversation that used a little. */
async function spend(): Promise<string> {
  const { client } = stage.server;
  const { project } = await client.createProject({});
  await (await client.chat(project.id, { ref: 'main', message: '/sim say one' })).text();
  return project.id;
}
const field = (within: Page | Locator, label: string): Locator => within.getByLabel(label, { exact: true });
const budget = (page: Page, name: string): Locator => page.locator(`[data-budget="${name}"]`);

describe('budgets', () => {
  it('WEB-220: a budget is added, shows what is used of it, is changed and removed; the file’s can be read', async () => {
    stage.allow(/422/);
    const page = await stage.open('/settings#budgets');
    await budget(page, 'filed').getByText(en['settings.readOnly']).waitFor();
    await button(page, en['budgets.add']).click();
    const dialog = page.getByRole('dialog', { name: en['budgets.add'] });
    await field(dialog, en['settings.deployment.id']).fill('per project');
    await dialog.getByRole('radio', { name: en['budgets.unit.tokens'] }).check({ force: true });
    await field(dialog, en['budgets.limit']).fill('0');
    await button(dialog, en['budgets.save']).click();
    await dialog.getByRole('alert').waitFor();
    await field(dialog, en['budgets.limit']).fill('1');
    await field(dialog, en['budgets.period']).selectOption('total');
    await field(dialog, en['budgets.project']).selectOption('*');
    await expectAccessible(page, 'the dialog of a budget');
    await button(dialog, en['budgets.save']).click();
    await dialog.waitFor({ state: 'detached' });
    await budget(page, 'per project').getByText(en['budgets.unused']).waitFor();
    await spend();
    await page.goto(page.url().replace(/#.*/, '?again#budgets'));
    const added = budget(page, 'per project');
    await added.getByText(en['budgets.level.over'], { exact: true }).waitFor();
    await eventually(() => added.locator('.budget-who').first().innerText()).toMatch(/[\d,]+ of 1 tokens/);
    await button(added, en['settings.change']).click();
    const change = page.getByRole('dialog');
    expect(await field(change, en['budgets.limit']).inputValue()).toBe('1');
    await field(change, en['budgets.limit']).fill('1000000');
    await button(change, en['budgets.save']).click();
    await change.waitFor({ state: 'detached' });
    await added.getByText(en['budgets.level.over'], { exact: true }).waitFor({ state: 'detached' });
    await button(added, en['settings.remove']).click();
    await button(page.getByRole('dialog'), en['settings.remove']).click();
    await added.waitFor({ state: 'detached' });
  });

  it('WEB-221: beyond a budget the page asks; what is not sent stays written, what is confirmed is answered', async () => {
    stage.allow(/402/);
    const { client } = stage.server;
    const projectId = await spend();
    await client.setBudget('tight', { project: projectId, tokens: 1 });
    const page = await stage.open(`/p/${projectId}/b/main`);
    await page.getByRole('link', { name: en['budgets.notice.over'].replace('{name}', 'tight') }).waitFor();
    await send(page, '/sim say two');
    const question = page.getByRole('dialog', { name: en['budgets.over.title'] });
    await question.getByText('The budget “tight” is used up', { exact: false }).waitFor();
    await expectAccessible(page, 'the question');
    await button(question, en['dialog.cancel']).click();
    await eventually(() => page.locator('#composer').inputValue()).toBe('/sim say two');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect((await client.history(projectId, { ref: 'main' })).groups).toHaveLength(1);
    await page.locator('#composer').press('Enter');
    await button(question, en['budgets.over.spend']).click();
    await eventually(async () => (await client.history(projectId, { ref: 'main' })).groups.length).toBe(2);
    await client.deleteBudget('tight');
  });

  it('WEB-222: a budget that is nearly used up is told beside the composer, and leads to the settings', async () => {
    const { client } = stage.server;
    const projectId = await spend();
    await client.setBudget('wide', { project: projectId, tokens: 1_000_000, warnAt: 0.000_001 });
    const page = await stage.open(`/p/${projectId}/b/main`);
    const notice = page.getByRole('link', { name: en['budgets.notice.warn'].replace('{name}', 'wide') });
    await notice.click();
    await budget(page, 'wide').getByText(en['budgets.level.warn'], { exact: true }).waitFor();
    await client.deleteBudget('wide');
  });
});
