import { startSimulator } from '@bough/simulator';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually, onBranch, openConversation } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const simulator = await startSimulator({ seed: 'question sets of the page' });
afterAll(() => simulator.close());
const stage = useStage({ providers: { anthropic: { baseUrl: simulator.url } } });
beforeAll(async () => {
  await stage.server.client.setProviderKey('anthropic', 'sk-ant-simulated');
});

const field = (within: Page | Locator, label: string): Locator => within.getByLabel(label, { exact: true });
const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });
const count = (key: 'sets.count' | 'ask.count', value: number): string => en[key].replace('{count}', String(value));
const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name, exact: true }).waitFor();
const answers = (page: Page): Locator => page.locator('.round-table tbody tr');

it('WEB-760: a set is written, read from a file, made of a branch, changed, asked of two models and deleted', async () => {
  const { page } = await openConversation(stage, ['/sim say Forty metres.']);
  await page.getByRole('link', { name: en['sets.title'] }).click();
  await page.getByText(en['sets.empty']).waitFor();
  await button(page, en['sets.new']).click();
  const dialog = dialogOf(page, en['sets.new']);
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'Trees.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('/sim say An oak.\n/sim fault 400\n'),
  });
  await dialog.getByText(count('sets.count', 2)).waitFor();
  expect(await field(dialog, en['branch.name']).inputValue()).toBe('Trees');
  await expectAccessible(page, 'a new question set');
  await button(dialog, en['sets.create']).click();
  await heading(page, 'Trees');
  await heading(page, count('sets.count', 2));
  await button(page, en['sets.edit']).click();
  const edit = dialogOf(page, en['sets.edit.title']);
  await field(edit, en['branch.name']).fill('Trees and more');
  const words = await edit.locator('textarea').first().inputValue();
  await edit.locator('textarea').first().fill(`${words}\n/sim say An ash.`);
  await button(edit, en['sets.save']).click();
  await heading(page, 'Trees and more');
  await heading(page, count('sets.count', 3));

  await button(page, en['rounds.start']).click();
  const ask = dialogOf(page, en['rounds.start.title']);
  await ask.getByText(count('ask.count', 3)).waitFor();
  expect(await button(ask, en['rounds.begin']).isDisabled()).toBe(true);
  await field(ask, en['rounds.limit']).fill('1.50');
  await field(ask, en['rounds.samples']).fill('2');
  await button(ask, en['ask.add']).click();
  for (const [index, provider] of ['simulated', 'simulated_chat'].entries())
    await ask
      .getByRole('group', { name: en['ask.target'].replace('{index}', String(index + 1)) })
      .getByRole('combobox', { name: en['branch.provider'] })
      .selectOption(provider);
  await ask.getByText(count('ask.count', 12)).waitFor();
  await ask.getByText(/^Answers: 12\. They cost about US\$/).waitFor();
  await expectAccessible(page, 'a round before it begins');
  await button(ask, en['rounds.begin']).click();
  await page.waitForURL(/\/rounds\//);
  await eventually(() => page.getByRole('status').first().innerText()).toMatch(
    /^finished 12 of 12 answers · failed: 4/,
  );
  await expectAccessible(page, 'a round that is over');
  expect(await answers(page).count()).toBe(3);
  await eventually(() => answers(page).nth(2).locator('.round-words').allInnerTexts()).toEqual(
    Array(4).fill('An ash.'),
  );
  expect(await answers(page).nth(1).getByText(en['rounds.cell.failed'], { exact: true }).count()).toBe(4);
  await button(page, en['rounds.again']).click();
  await eventually(() => answers(page).nth(1).locator('a').first().getAttribute('href')).toContain('try%202');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: en['rounds.csv'] }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^Trees and more \d{4}-\d\d-\d\d\.csv$/);
  expect((await readFile(await file.path(), 'utf8')).match(/,An ash\.,/g)).toHaveLength(4);
  await answers(page).first().locator('a').first().click();
  await page.waitForURL(/\/b\/1/);
  await page.getByText('An oak.', { exact: true }).first().waitFor();
  await page.goBack();
  // All answers to a question beside each other, to be judged.
  await page.getByRole('link', { name: en['rounds.compare'] }).first().click();
  await page.locator('.judge-bar').waitFor();
  await eventually(() => page.locator('.versions-choice .button').count()).toBe(4);
  await page.goBack();
  await page.getByRole('link', { name: en['rounds.back'] }).click();
  await page.getByRole('region', { name: en['rounds.title'] }).getByRole('row').nth(1).waitFor();
  // Asked again, it is asked as the last time.
  await button(page, en['rounds.start']).click();
  await ask.getByText(count('ask.count', 12)).waitFor();
  expect(await field(ask, en['rounds.limit']).inputValue()).toBe('1.5');
  await page.keyboard.press('Escape');
  await button(page, en['sets.delete']).click();
  await button(dialogOf(page, en['sets.delete']), en['sets.delete']).click();
  await page.getByText(en['sets.empty']).waitFor();

  const { page: other } = await openConversation(stage, ['/sim say Thirty.'], {
    name: 'Birches',
    systemPrompt: 'Be brief.',
  });
  await onBranch(other, 'main');
  await other.keyboard.press('Control+k');
  await other.getByRole('dialog').getByRole('combobox').fill(en['sets.fromBranch']);
  await other.keyboard.press('Enter');
  const branch = dialogOf(other, en['sets.new']);
  await eventually(() =>
    branch.getByRole('combobox', { name: en['sets.project'] }).locator('option:checked').innerText(),
  ).toBe('Birches');
  await field(branch, en['branch.name']).fill('Of a branch');
  await button(branch, en['sets.create']).click();
  await heading(other, count('sets.count', 1));
  await other.getByText('Be brief.').waitFor();
});

it('WEB-762: a round is followed, stops at its limit, goes on with a higher one, pauses and is cancelled', async () => {
  const { client } = stage.server;
  const slow = Array.from({ length: 53 }, (_, at) => `/sim slow 20 /sim say Elm ${at}${' and on'.repeat(20)}`);
  const file = ['/sim say An oak.', '/sim say An ash.', ...slow].join('\n');
  const { set } = await client.createQuestionSet({ name: 'Long', from: { file } });
  const wish = {
    targets: [{ provider: 'anthropic', model: 'claude-sonnet-5', thinking: 'off' as const }],
    maxTokens: 100,
  };
  const { targets } = await client.estimateRound(set.id, wish);
  const limit = ((targets[0]?.mostCost ?? 0) / 55) * 1.5;
  const { round } = await client.startRound(set.id, { ...wish, limit, atOnce: 1 });
  const page = await stage.open(`/question-sets/${set.id}/rounds/${round.id}`);
  const standing = page.getByRole('status').first();
  await page.getByText(en['rounds.because.limit_reached']).waitFor();
  await answers(page).first().getByText('An oak.', { exact: true }).waitFor();
  // However long the set is, a part of it is in the page.
  await eventually(() => answers(page).count()).toBe(50);
  await button(page, en['rounds.next']).first().click();
  await eventually(() => answers(page).count()).toBe(5);
  await button(page, en['rounds.previous']).first().click();
  await eventually(() => answers(page).count()).toBe(50);

  await button(page, en['rounds.resume']).click();
  const higher = dialogOf(page, en['rounds.limit.title']);
  await field(higher, en['rounds.limit']).fill('5');
  await expectAccessible(page, 'a higher limit');
  await button(higher, en['rounds.resume']).click();
  await answers(page).getByText(en['rounds.cell.running'], { exact: true }).first().waitFor();
  await button(page, en['rounds.pause']).click();
  await eventually(() => standing.innerText()).toMatch(/^paused/);
  await button(page, en['rounds.resume']).click();
  await eventually(() => standing.innerText()).toMatch(/^running/);
  await button(page, en['rounds.cancel']).click();
  await button(dialogOf(page, en['rounds.cancel']), en['rounds.cancel']).click();
  await eventually(() => standing.innerText()).toMatch(/^cancelled/);
  await button(page, en['rounds.delete']).waitFor();
});
