import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { look } from './testing/looks/index.ts';
import { branchLink, button, eventually, openConversation, openPanel } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PHONE = { viewport: { width: 390, height: 844 } };
const UNREAD = {
  code: 'list_unread',
  provider: 'simulated',
  model: 'claude-opus-6-20270101',
  assumed: [],
  problem: 'models.example.internal-gateway.of-a-company.test:8443 answered with 401.',
  message: '',
};
const UNLISTED = 'claude-opus-6-20270101';

async function chooseModel(page: Page, model: string): Promise<Locator> {
  await page.getByRole('button', { name: en['composer.switch'] }).click();
  const dialog = page.getByRole('dialog', { name: en['branch.title'] });
  await dialog
    .getByLabel(en['branch.model'], { exact: false })
    .first()
    .selectOption({ label: en['branch.model.other'] });
  await dialog.getByRole('textbox', { name: en['branch.model.id'] }).fill(model);
  return dialog;
}

describe('a model that nobody knows', () => {
  it('WEB-43: what is assumed is said once on the new branch, until it is closed', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const dialog = await chooseModel(page, UNLISTED);
    await dialog.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('unlisted');
    await button(dialog, en['branch.create']).click();
    await dialog.waitFor({ state: 'detached' });
    const notice = page.locator('.model-notices');
    await notice.waitFor();
    expect(await notice.innerText()).toContain(`Bough does not list ${UNLISTED}.`);
    expect(await notice.innerText()).toContain(en['model.fact.bound']);

    await branchLink(page, 'main').click();
    await notice.waitFor({ state: 'detached' });
    await branchLink(page, 'unlisted').click();
    await notice.waitFor();
    await button(notice, en['dialog.close']).click();
    await notice.waitFor({ state: 'detached' });
  });

  it('WEB-43: on a phone the notice is inside the window, and so is its button', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one'], {}, PHONE);
    // An answer as a vendor gives that says nothing about its models.
    await page.route(/\/branches$/, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const answer = await route.fetch();
      const made: { notices: unknown[] } = JSON.parse(await answer.text());
      return route.fulfill({ response: answer, json: { ...made, notices: [UNREAD, ...made.notices] } });
    });
    const dialog = await chooseModel(page, UNLISTED);
    await button(dialog, en['branch.create']).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.model-notices').getByText('answered with 401.').waitFor();
    await eventually(() => look(page)).toEqual([]);
    expect((await stage.server.client.listBranches(projectId)).branches).toHaveLength(2);
  });

  it('WEB-43: a model that does not exist is reported in the dialog, with near names', async () => {
    stage.allow(/404/);
    const { page } = await openConversation(stage, ['/sim say one']);
    const dialog = await chooseModel(page, 'sim-thnker');
    await button(dialog, en['branch.create']).click();
    const told = dialog.getByRole('alert');
    await told.waitFor();
    expect(await told.innerText()).toContain('Did you mean "sim-thinker"');
    expect(await page.locator('.model-notices').count()).toBe(0);
    await eventually(() => look(page)).toEqual([]);
  });

  it('WEB-83: a branch can send everything before a model break as text, and the page says what that does', async () => {
    const { page, projectId } = await openConversation(stage, ['hello']);
    const panel = await openPanel(page, 'details');
    const choice = panel.getByRole('checkbox', { name: en['details.replayBy'] });
    expect(await choice.isChecked()).toBe(false);
    await panel.getByText(en['details.replayBy.why']).waitFor();
    for (const [isChosen, stored] of [
      [true, 'break'],
      [false, 'issuer'],
    ] as const) {
      await choice.click();
      await eventually(() => choice.isChecked()).toBe(isChosen);
      expect((await stage.server.client.listBranches(projectId)).branches[0]?.replayBy).toBe(stored);
    }
  });
});
