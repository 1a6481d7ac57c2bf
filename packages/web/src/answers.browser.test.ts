import { schemas } from '@bough/api';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  actFromMenu,
  branchLink,
  button,
  composer,
  eventually,
  onBranch,
  openConversation,
  openProject,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';
import { MOST_ANSWERS } from './view/most-replies.ts';

const stage = useStage();
/** It is stopped long before its end: what is seen while it is written is in no race with it. */
const SLOW = `/sim slow 200 /sim say Oaks grow slowly${' and on'.repeat(1_000)}`;

const target = (dialog: Locator, index: number): Locator =>
  dialog.getByRole('group', { name: en['ask.target'].replace('{index}', String(index)), exact: true });
const columns = (page: Page): Locator => page.locator('.versions > section');
const keep = (within: Locator): Locator => within.getByRole('checkbox', { name: en['answers.keep'], exact: true });
const branchNames = async (projectId: string): Promise<readonly string[]> =>
  (await stage.server.client.listBranches(projectId)).branches.map(({ name }) => name).toSorted();

it('WEB-700: what is written is asked of several models, with its price; nothing is lost before they are asked', async () => {
  expect(MOST_ANSWERS).toBe(schemas.LIMITS.askAnswers);
  const { page, projectId } = await openProject(stage);
  const open = button(page, en['ask.open']);
  expect(await open.isDisabled()).toBe(true);
  await composer(page).fill(SLOW);
  await open.click();
  const dialog = page.getByRole('dialog', { name: en['ask.title'] });
  await target(dialog, 2).waitFor();
  await dialog.getByText(/^Answers: 2\. The request costs US\$0\.00/).waitFor();
  await expectAccessible(page, 'asking several models');
  // More than the server takes, and no number at all.
  const count = target(dialog, 1).getByRole('spinbutton', { name: en['ask.answers'] });
  await count.fill('9');
  expect(await button(dialog, en['ask.send']).isDisabled()).toBe(true);
  // Long enough for a price to be asked for, which the server would refuse.
  await page.waitForTimeout(500);
  await count.fill('2');
  await button(dialog, en['ask.add']).click();
  await target(dialog, 3)
    .getByRole('combobox', { name: en['branch.model'] })
    .selectOption({ label: en['branch.model.other'] });
  expect(await button(dialog, en['ask.send']).isDisabled()).toBe(true);
  await button(dialog, en['ask.remove'].replace('{index}', '3')).click();
  await dialog.getByText(/^Answers: 3\./).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await composer(page).inputValue()).toBe(SLOW);

  await open.click();
  await target(dialog, 1).getByRole('spinbutton', { name: en['ask.answers'] }).fill('2');
  await target(dialog, 2).getByRole('combobox', { name: en['composer.thinking'] }).selectOption('low');
  await button(dialog, en['ask.send']).click();
  await page.waitForURL(/\/b\/main\/answers\//);
  await columns(page).nth(2).getByText(en['status.running'], { exact: true }).waitFor();
  for (const column of [0, 1, 2]) await columns(page).nth(column).getByText('Oaks grow slowly').waitFor();
  await button(page, en['versions.stop']).click();
  await button(page, en['versions.stop']).waitFor({ state: 'detached' });
  await eventually(() => page.locator('.versions .prose').count()).toBe(3);
  const { branches } = await stage.server.client.listBranches(projectId);
  expect(branches.find(({ name }) => name === 'main')?.tipId).toBe(null);
  const names = branches.map(({ name }) => name).filter((name) => name !== 'main');
  expect(names.length).toBe(3);
  // Side by side in the order of their branches, under the names of their models.
  const sorted = names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  expect(await columns(page).locator('h2').allInnerTexts()).toEqual(['Summariser', 'Thinker 1', 'Thinker 2']);
  expect(branches.filter(({ thinking }) => thinking === 'low').length).toBe(1);
  await columns(page).nth(1).getByRole('link', { name: en['answers.continue'] }).click();
  await onBranch(page, sorted[1] ?? '');
  await branchLink(page, 'main').click();
  await onBranch(page, 'main');
  expect(await composer(page).inputValue()).toBe('');
});

it('WEB-701: answers stand side by side with model, price and time; what is not kept goes, and comes back', async () => {
  const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.']);
  await actFromMenu(page, userMessage(page, 1), en['ask.open']);
  const dialog = page.getByRole('dialog', { name: en['ask.title'] });
  await target(dialog, 2).waitFor();
  await button(dialog, en['ask.send']).click();
  await page.waitForURL(/\/answers\//);
  await eventually(() => page.locator('.versions .prose').allInnerTexts()).toEqual(Array(3).fill('Forty metres.'));
  for (const index of [0, 1, 2])
    await columns(page)
      .nth(index)
      .getByText(/US\$0\.00\d* · \d+\.\d s/)
      .waitFor();
  // The branch that was asked from stays: it is not to be decided about.
  await columns(page)
    .first()
    .getByText(/ · main$/)
    .waitFor();
  expect(await keep(columns(page).first()).count()).toBe(0);
  expect(await keep(page.locator('.versions')).count()).toBe(2);
  await expectAccessible(page, 'answers side by side');
  await page.getByRole('checkbox', { name: en['judge.blind'] }).check();
  await eventually(() => columns(page).locator('h2').allInnerTexts()).toEqual(['Version 1', 'Version 2', 'Version 3']);
  expect(await page.locator('.versions').innerText()).not.toMatch(/Thinker|Summariser|sim-|\$/);
  // The one that always stays would be known by having nothing to tick.
  expect(await keep(page.locator('.versions')).count()).toBe(0);
  await button(columns(page).first(), en['judge.better']).click();
  await eventually(() => columns(page).locator('h2').allInnerTexts()).toEqual(['Thinker 1', 'Summariser', 'Thinker 2']);

  const before = await branchNames(projectId);
  const decide = button(page, en['answers.keepThese']);
  expect(await decide.isDisabled()).toBe(true);
  for (const box of await keep(page.locator('.versions')).all()) await box.uncheck();
  await decide.click();
  await eventually(() => columns(page).count()).toBe(1);
  const undo = page.locator('.undo');
  await undo.getByText('Deleted answers: 2.').waitFor();
  expect(await branchNames(projectId)).toEqual(['main']);
  await button(undo, en['undo.button']).click();
  await eventually(() => page.locator('.versions .prose').allInnerTexts()).toEqual(Array(3).fill('Forty metres.'));
  expect(await branchNames(projectId)).toEqual(before);

  await page.setViewportSize({ width: 390, height: 780 });
  const tops = await columns(page).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  expect(new Set(tops).size).toBe(3);
  // What was written before the reader's eyes is no news.
  expect(await page.title()).not.toMatch(/^\(/);
});

it('WEB-702: however many answers are being written, the page still answers: all of eight are stopped', async () => {
  const { page, projectId } = await openProject(stage);
  await composer(page).fill('/sim fault stall 1');
  await button(page, en['ask.open']).click();
  const dialog = page.getByRole('dialog', { name: en['ask.title'] });
  await target(dialog, 2).waitFor();
  for (const index of [1, 2])
    await target(dialog, index).getByRole('spinbutton', { name: en['ask.answers'] }).fill('4');
  await button(dialog, en['ask.send']).click();
  await page.waitForURL(/\/answers\//);
  const running = columns(page).getByText(en['status.running'], { exact: true });
  await eventually(() => running.count()).toBe(8);
  await button(page, en['versions.stop']).click();
  await eventually(() => running.count()).toBe(0);
  const { branches } = await stage.server.client.listBranches(projectId);
  expect(branches.filter(({ runningTurnId }) => runningTurnId !== null)).toEqual([]);
});

it('WEB-703: names can be hidden from the moment that one asks: nothing tells them before the better one is chosen', async () => {
  const { page } = await openProject(stage);
  await composer(page).fill(SLOW);
  await button(page, en['ask.open']).click();
  const dialog = page.getByRole('dialog', { name: en['ask.title'] });
  await target(dialog, 2).waitFor();
  await dialog.getByRole('checkbox', { name: en['ask.blind'] }).check();
  await button(dialog, en['ask.send']).click();
  await page.waitForURL(/\/answers\/.*blind=true/);
  for (const column of [0, 1]) await columns(page).nth(column).getByText('Oaks grow slowly').waitFor();
  const names = /Thinker|Summariser|sim-|Simulator/;
  const hidden = async (): Promise<void> => {
    expect(await columns(page).locator('h2').allInnerTexts()).toEqual(['Version 1', 'Version 2']);
    expect(await page.locator('main').evaluate((main) => main.outerHTML)).not.toMatch(names);
    expect(await page.title()).not.toMatch(names);
  };
  await hidden();
  const choice = page.getByRole('checkbox', { name: en['judge.blind'] });
  expect(await choice.isChecked()).toBe(true);
  expect(await button(page, en['judge.tie']).isDisabled()).toBe(true);
  await button(page, en['versions.stop']).click();
  await button(page, en['versions.stop']).waitFor({ state: 'detached' });
  await eventually(() => page.locator('.versions .prose').count()).toBe(2);
  await hidden();
  await button(columns(page).first(), en['judge.better']).click();
  await eventually(() => columns(page).locator('h2').allInnerTexts()).toEqual(['Summariser', 'Thinker']);
  expect(await choice.isChecked()).toBe(false);
});

it('WEB-704: a preset is asked beside models, with all that it says; the next round begins with it, too', async () => {
  const { client } = stage.server;
  const { preset } = await client.createPreset({
    name: 'Botanist',
    provider: 'simulated',
    model: 'sim-plain',
    systemPrompt: 'Name each plant in Latin.',
    thinking: 'off',
  });
  const { page, projectId } = await openProject(stage);
  await composer(page).fill('/sim say Quercus.');
  await button(page, en['ask.open']).click();
  const dialog = page.getByRole('dialog', { name: en['ask.title'] });
  await target(dialog, 2).waitFor();
  await button(dialog, en['ask.remove'].replace('{index}', '2')).click();
  await dialog.getByRole('combobox', { name: en['ask.addPreset'] }).selectOption({ label: 'Botanist' });
  await target(dialog, 2).getByText('Botanist', { exact: true }).waitFor();
  await dialog.getByText(/^Answers: 2\./).waitFor();
  await expectAccessible(page, 'asking a preset');
  await button(dialog, en['ask.send']).click();
  await page.waitForURL(/\/answers\//);
  await eventually(() => page.locator('.versions .prose').allInnerTexts()).toEqual(['Quercus.', 'Quercus.']);
  const { branches } = await client.listBranches(projectId);
  expect(branches.filter(({ systemPrompt }) => systemPrompt === 'Name each plant in Latin.').length).toBe(1);

  const from = { questions: [{ text: '/sim say Acer.' }] };
  const { set } = await client.createQuestionSet({ name: 'Plants', from });
  const { round } = await client.startRound(set.id, { targets: [{ preset: preset.id }], limit: 1 });
  await eventually(async () => (await client.getRound(round.id)).round.state).toBe('finished');
  await page.goto(`${stage.server.url}/question-sets/${set.id}`);
  await button(page, en['rounds.start']).click();
  const again = page.getByRole('dialog', { name: en['rounds.start.title'] });
  await target(again, 1).getByText('Botanist', { exact: true }).waitFor();
  await button(again, en['rounds.begin']).click();
  await page.waitForURL(/\/rounds\//);
  const { set: whole } = await client.getQuestionSet(set.id);
  expect(whole.rounds.map(({ targets }) => targets[0]?.preset)).toEqual([preset.id, preset.id]);
});
