import { startSimulator } from '@bough/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { actFromMenu, button, eventually, openConversation, openPanel, reply } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const simulator = await startSimulator({ seed: 'costs of the page' });
afterAll(() => simulator.close());
const stage = useStage({ providers: { anthropic: { baseUrl: simulator.url } } });
beforeAll(async () => {
  await stage.server.client.setProviderKey('anthropic', 'sk-ant-simulated');
});

/** Long enough to be cached. */
const systemPrompt = 'All that is known about trees. '.repeat(800);
const PRICED = { provider: 'anthropic', model: 'claude-sonnet-5', systemPrompt } as const;
const UNPRICED = { provider: 'anthropic', model: 'claude-fable-5-2' } as const;

describe('what it costs', () => {
  it('WEB-622: the next message, other replies and a switch have prices before they are sent; a sent one tells its cache', async () => {
    const { page } = await openConversation(stage, ['/sim say One.', '/sim say Two.'], PRICED);
    const context = await openPanel(page, 'context');
    const estimate = context.locator('.estimate');
    await estimate.getByText(en['costs.read'], { exact: true }).waitFor();
    expect(await estimate.innerText()).toMatch(/Reply like the last one \(\d+ tokens\)\s+US\$0\.0/);
    await expectAccessible(page, 'what the next message costs');

    expect(await reply(page, 2).locator('.facts').innerText()).toMatch(/read \(US\$0\.0\d+\)/);
    await reply(page, 2).hover();
    await button(reply(page, 2), en['versions.several']).click();
    await page
      .getByRole('menuitem')
      .getByText(/^about US\$0\.0/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');

    await actFromMenu(page, reply(page, 2), en['reply.regenerate.other']);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en['branch.model']).selectOption(UNPRICED.model);
    await dialog.getByText(en['estimate.unknown']).waitFor();
    await dialog.getByText(en['estimate.reply']).waitFor();
    expect(await dialog.innerText()).not.toContain('US$');
  });

  it('WEB-625: the details of a branch tell what all of its messages cost, by model; unknown prices stay apart', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject(PRICED);
    for (const message of ['/sim say One.', '/sim say Two.'])
      await (await client.chat(project.id, { ref: 'main', message })).text();
    await client.createBranch(project.id, { name: 'other', fromRef: 'main', ...UNPRICED });
    await (await client.chat(project.id, { ref: 'other', message: '/sim say Three.' })).text();
    const page = await stage.open(`/p/${project.id}/b/other`);
    const details = await openPanel(page, 'details');
    const costs = details.locator('.branch-costs');
    await costs.getByText(en['costs.sum']).waitFor();
    const rows = await costs.locator('dl > div').allInnerTexts();
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/claude-sonnet-5[\s\S]*Calls: 2[\s\S]*from the cache[\s\S]*US\$0\.0/);
    expect(rows[1]).toMatch(/claude-fable-5-2[\s\S]*cost unknown/);
    expect(rows[2]).toMatch(/Together[\s\S]*US\$0\.0\d+[\s\S]*1 without a known price/);
    await expectAccessible(page, 'what a branch cost');
  });

  it('WEB-624: diagnostics show what was spent by day, model and project, and what caches missed', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say One.'], { ...PRICED, name: 'Missed' });
    const { client } = stage.server;
    await client.updateBranch(projectId, 'main', { thinking: 'high' });
    await (await client.chat(projectId, { ref: 'main', message: '/sim say Two.' })).text();
    await page.goto(`${stage.server.url}/diagnostics`);
    const table = page.getByRole('region', { name: en['costs.title'] });
    await table.getByRole('row').filter({ hasText: PRICED.model }).getByText(/^US\$/).waitFor();
    await page
      .locator('.cost-chart')
      .getByText(/^The dearest day: US\$0\.0/)
      .waitFor();
    await page.getByText(en['costs.by.project'], { exact: true }).click();
    await table.getByRole('row').filter({ hasText: 'Missed' }).waitFor();
    const misses = page.getByRole('region', { name: en['costs.misses'] });
    await misses.getByText(en['costs.miss.unexplained']).waitFor();
    await expectAccessible(page, 'what was spent');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: en['costs.csv'] }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.csv$/);
  });

  it('WEB-626: a reply is called good or bad in its menu, which is seen beside it and taken back there', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say One.']);
    const choose = async (name: string): Promise<void> => {
      await reply(page, 1).hover();
      await button(reply(page, 1), en['reply.more']).click();
      await page.getByRole('menuitemcheckbox', { name }).click();
    };
    const marks = async () =>
      (await stage.server.client.projectAnnotations(projectId)).annotations.map(({ verdict }) => verdict);
    const card = reply(page, 1).locator('.kept-card');
    await choose(en['kept.mark.good']);
    await card.getByText(en['kept.mark.good']).waitFor();
    await choose(en['kept.mark.bad']);
    await card.getByText(en['kept.mark.bad']).waitFor();
    expect(await marks()).toEqual(['bad']);
    await choose(en['kept.mark.bad']);
    await card.waitFor({ state: 'detached' });
    await eventually(marks).toEqual([]);
  });
});
