import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  button,
  composer,
  ended,
  eventually,
  openConversation,
  openProject,
  replyText,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });
const focused = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);

/** The library belongs to the whole server, and so do its defaults. */
afterEach(async () => {
  const { client } = stage.server;
  for (const { id } of (await client.listPresets()).presets) await client.deletePreset(id);
  for (const { id } of (await client.listPrompts()).prompts) await client.deletePrompt(id);
  await client.setTitleModel(null);
});

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: en['palette.title'] }).waitFor();
  await page.keyboard.type(words);
  await page.getByRole('option', { name: words }).waitFor();
  await page.keyboard.press('Enter');
}

const LOCK = { provider: 'simulated_chat', model: 'sim-thinker' } as const;

describe('presets', () => {
  it('WEB-140: a preset is made, changed and deleted in the settings', async () => {
    const { client } = stage.server;
    const page = await stage.open('/settings');
    await button(page, en['presets.new']).click();
    const dialog = dialogOf(page, en['presets.new']);
    await dialog.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('Reviewer');
    await dialog.getByLabel(en['branch.model'], { exact: false }).first().selectOption('sim-plain');
    await dialog.getByRole('textbox', { name: en['branch.systemPrompt'], exact: false }).fill('Be strict.');
    await dialog.getByLabel(en['presets.maxTokens']).fill('a lot');
    expect(await button(dialog, en['presets.save']).isDisabled()).toBe(true);
    await dialog.getByLabel(en['presets.maxTokens']).fill('900');
    await dialog.getByLabel(en['presets.isDefault']).check();
    await expectAccessible(page, 'a new preset');
    await button(dialog, en['presets.save']).click();
    await dialog.waitFor({ state: 'detached' });
    const list = page.getByRole('list', { name: en['presets.title'] });
    await list.getByText('Reviewer').waitFor();
    await list.getByText(en['presets.default'], { exact: true }).waitFor();
    const [preset] = (await client.listPresets()).presets;
    expect(preset).toMatchObject({ model: 'sim-plain', systemPrompt: 'Be strict.', maxTokens: 900, isDefault: true });
    await expectAccessible(page, 'the presets');

    await button(page, `${en['library.edit']}: Reviewer`).click();
    const edit = dialogOf(page, en['presets.edit']);
    await edit.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('Critic');
    await edit.getByLabel(en['presets.maxTokens']).fill('');
    await button(edit, en['presets.save']).click();
    await list.getByText('Critic').waitFor();
    expect((await client.listPresets()).presets).toMatchObject([{ name: 'Critic', maxTokens: null }]);

    await button(page, `${en['library.delete']}: Critic`).click();
    await button(dialogOf(page, en['presets.delete']), en['presets.delete']).click();
    await list.waitFor({ state: 'detached' });
    expect((await client.listPresets()).presets).toEqual([]);
  });

  it('WEB-141: a branch becomes a preset, and the start page begins a project with it', async () => {
    const { client } = stage.server;
    const { page } = await openProject(stage, { ...LOCK, systemPrompt: 'Be brief.', tools: ['calculator'] });
    await composer(page).focus();
    await command(page, en['presets.saveAs']);
    const dialog = dialogOf(page, en['presets.new']);
    await dialog.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('Brief');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await client.listPresets()).presets).toMatchObject([
      { ...LOCK, name: 'Brief', systemPrompt: 'Be brief.', tools: ['calculator'] },
    ]);
    // From the palette, which is gone by now: back to where the person was.
    await eventually(() => focused(page)).toBe('composer');
    await page.goto(stage.server.url);
    await page.getByRole('combobox', { name: en['presets.one'], exact: true }).selectOption({ label: 'Brief' });
    await expectAccessible(page, 'the start page with presets');
    await composer(page).fill('/sim say hello');
    await composer(page).press('Enter');
    await page.waitForURL(/\/p\/[^/]+\/b\/main$/);
    await ended(page, 1);
    const id = /\/p\/([^/]+)/.exec(page.url())?.[1] ?? '';
    expect((await client.listBranches(id)).branches).toMatchObject([
      { ...LOCK, systemPrompt: 'Be brief.', tools: ['calculator'] },
    ]);
  });

  it('WEB-141: the default preset is chosen on the start page; New project and the palette use presets too', async () => {
    const { client } = stage.server;
    await client.createPreset({ name: 'Usual', ...LOCK, systemPrompt: 'Usual.', isDefault: true });
    await client.createPreset({ name: 'Plain', provider: 'simulated', model: 'sim-plain' });
    const page = await stage.open('/');
    const select = page.getByRole('combobox', { name: en['presets.one'], exact: true });
    await eventually(() => select.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.text)).toBe(
      'Usual',
    );
    await button(page, en['projects.new']).click();
    await page.waitForURL(/\/b\/main$/);
    const open = async () => client.listBranches(/\/p\/([^/]+)/.exec(page.url())?.[1] ?? '');
    expect((await open()).branches).toMatchObject([{ ...LOCK, systemPrompt: 'Usual.' }]);
    const before = page.url();
    await command(page, en['palette.newWith'].replace('{name}', 'Plain'));
    await eventually(async () => page.url()).not.toBe(before);
    await composer(page).waitFor();
    expect((await open()).branches).toMatchObject([{ model: 'sim-plain', systemPrompt: null }]);
    const last = page.url();
    await button(page, en['projects.new.with']).click();
    await expectAccessible(page, 'the presets for a new project');
    await page.getByRole('menuitem', { name: 'Usual' }).click();
    await eventually(async () => page.url()).not.toBe(last);
    expect((await open()).branches).toMatchObject([{ ...LOCK, systemPrompt: 'Usual.' }]);
  });

  it('WEB-184: with presets to choose, what sends is still in the same row of the start page', async () => {
    await stage.server.client.createPreset({ name: 'One more with a rather long name', ...LOCK });
    const page = await stage.open('/', { viewport: { width: 1280, height: 720 } });
    const select = page.getByRole('combobox', { name: en['presets.one'], exact: true });
    await select.waitFor();
    const middle = async (part: Locator): Promise<number> => {
      const box = await part.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0) / 2;
    };
    const send = button(page, en['composer.send']);
    expect(Math.abs((await middle(send)) - (await middle(select)))).toBeLessThan(4);
    expect((await send.boundingBox())?.x).toBeGreaterThan((await select.boundingBox())?.x ?? 0);
  });

  it('WEB-142: a new branch begins with a preset or with the defaults of the project', async () => {
    const { client } = stage.server;
    await client.createPreset({
      name: 'Other',
      provider: 'simulated',
      model: 'sim-plain',
      thinking: 'off',
      maxTokens: 800,
    });
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = dialogOf(page, en['branch.title']);
    await dialog.getByLabel(en['presets.from']).selectOption({ label: 'Other' });
    await eventually(() => dialog.getByLabel(en['branch.model'], { exact: false }).first().inputValue()).toBe(
      'sim-plain',
    );
    await dialog.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('other');
    await expectAccessible(page, 'a branch from a preset');
    await button(dialog, en['branch.create']).click();
    await page.waitForURL(/\/b\/other$/);
    const { branches } = await client.listBranches(projectId);
    expect(branches.find(({ name }) => name === 'other')).toMatchObject({ model: 'sim-plain', maxTokens: 800 });
  });

  it('WEB-142: a preset whose model is gone says so, and another model can be chosen', async () => {
    const { client } = stage.server;
    const { preset } = await client.createPreset({ name: 'Old', ...LOCK });
    const page = await stage.open('/');
    await page.route(/\/api\/presets$/, async (route) => {
      const problem = { code: 'model_gone', message: 'Simulated has no model "sim-old".' };
      await route.fulfill({ json: { presets: [{ ...preset, model: 'sim-old', problem }] } });
    });
    await page.reload();
    await page.getByRole('combobox', { name: en['presets.one'], exact: true }).selectOption(preset.id);
    await page.getByText(en['presets.problem.choose']).waitFor();
    await page.getByRole('combobox', { name: en['branch.model'], exact: true }).selectOption('sim-thinker');
    await composer(page).fill('/sim say fine');
    await composer(page).press('Enter');
    await page.waitForURL(/\/b\/main$/);
    await ended(page, 1);
    expect(await replyText(page, 1).innerText()).toBe('fine');
  });

  it('WEB-145: a project has defaults, and an empty branch begins with them', async () => {
    const { client } = stage.server;
    const { page, projectId } = await openConversation(stage, ['/sim say one'], { name: 'Own ways' });
    await command(page, en['defaults.open']);
    const dialog = dialogOf(page, en['defaults.title']);
    await dialog.getByLabel(en['branch.model'], { exact: false }).first().selectOption('sim-plain');
    await dialog.getByRole('textbox', { name: en['branch.systemPrompt'], exact: false }).fill('In this project.');
    await expectAccessible(page, 'the defaults of a project');
    await button(dialog, en['defaults.save']).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await client.getProject(projectId)).project).toMatchObject({
      systemPrompt: 'In this project.',
      defaults: { model: 'sim-plain' },
    });
    await command(page, en['palette.emptyBranch']);
    await page.waitForURL(/\/b\/main%202$/);
    await eventually(() => focused(page)).toBe('composer');
    const { branches } = await client.listBranches(projectId);
    expect(branches.find(({ name }) => name === 'main 2')).toMatchObject({
      model: 'sim-plain',
      systemPrompt: 'In this project.',
      tipId: null,
    });
  });
});

describe('prompts', () => {
  it('WEB-143: a slash finds a prompt; arrows, Enter and Escape work, and /sim stays typable', async () => {
    const { client } = stage.server;
    await client.createPrompt({ title: 'Summarise', text: 'Summarise this.' });
    await client.createPrompt({ title: 'Simplify', text: 'Say it simply.', tags: ['style'] });
    const { page } = await openProject(stage);
    await composer(page).focus();
    await page.keyboard.type('/');
    const menu = page.getByRole('listbox', { name: en['prompts.title'] });
    await menu.getByRole('option', { name: /Summarise/ }).waitFor();
    await expectAccessible(page, 'the menu of prompts');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('Say it simply.');
    await menu.waitFor({ state: 'detached' });

    await composer(page).fill('');
    await page.keyboard.type('/sty');
    await menu.getByRole('option', { selected: true, name: /Simplify/ }).waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await composer(page).inputValue()).toBe('/sty');
    expect(await focused(page)).toBe('composer');

    await composer(page).fill('');
    await page.keyboard.type('/sim say typed');
    await menu.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await ended(page, 1);
    expect(await replyText(page, 1).innerText()).toBe('typed');
  });

  it('WEB-144: variables are asked for, with their defaults; the palette inserts as well', async () => {
    const { client } = stage.server;
    await client.createPrompt({ title: 'Translate', text: 'Into {{language:French}}:\n{{text}} ({{date}})' });
    const page = await stage.open('/');
    await composer(page).fill('/trans');
    await page.getByRole('option', { name: /Translate/ }).waitFor();
    await composer(page).press('Enter');
    const dialog = dialogOf(page, 'Translate');
    expect(await dialog.getByLabel('language').inputValue()).toBe('French');
    expect(await dialog.getByRole('textbox').count()).toBe(2);
    await expectAccessible(page, 'the variables of a prompt');
    await dialog.getByLabel('text').fill('two trees');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() => focused(page)).toBe('composer');
    expect(await composer(page).inputValue()).toMatch(/^Into French:\ntwo trees \(.*\d{4}.*\)$/);

    await composer(page).fill('Please.');
    await command(page, en['palette.prompt'].replace('{name}', 'Translate'));
    await dialog.getByLabel('text').fill('three');
    await button(dialog, en['prompts.insert']).click();
    await eventually(() => composer(page).inputValue()).toMatch(/^Please\.\nInto French:\nthree/);
  });

  it('WEB-146: prompts are made, changed, exported, imported and deleted in the settings', async () => {
    const { client } = stage.server;
    const page = await stage.open('/settings');
    await button(page, en['prompts.new']).click();
    const dialog = dialogOf(page, en['prompts.new']);
    await dialog.getByLabel(en['prompts.field.title']).fill('Review');
    await dialog.getByLabel(en['prompts.field.text']).fill('Review {{file}}.');
    await dialog.getByLabel(en['prompts.field.tags']).fill('code, daily,,code');
    await dialog.locator('code', { hasText: 'file' }).waitFor();
    await expectAccessible(page, 'a new prompt');
    await button(dialog, en['prompts.save']).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await client.listPrompts()).prompts).toMatchObject([{ title: 'Review', tags: ['code', 'daily'] }]);

    for (const name of [en['prompts.export.json'], en['prompts.export.markdown']]) {
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
      const content = await readFile(await download.path(), 'utf8');
      const { prompts } = await client.listPrompts();
      for (const { id } of prompts) await client.deletePrompt(id);
      await page.reload();
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: download.suggestedFilename(), mimeType: 'text/plain', buffer: Buffer.from(content) });
      await page.getByText(en['prompts.imported'].replace('{added}', '1').replace('{skipped}', '0')).waitFor();
      expect((await client.listPrompts()).prompts).toMatchObject([
        { title: 'Review', text: 'Review {{file}}.', tags: ['code', 'daily'] },
      ]);
    }
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'x.json', mimeType: 'text/plain', buffer: Buffer.from('{}') });
    await page.getByText(en['prompts.import.nothing']).waitFor();

    await button(page, `${en['library.delete']}: Review`).click();
    await button(dialogOf(page, en['prompts.delete']), en['prompts.delete']).click();
    await page.getByRole('list', { name: en['prompts.title'] }).waitFor({ state: 'detached' });
  });
});

describe('titles', () => {
  it('WEB-147: a chosen model writes the title, which appears without a reload', async () => {
    const { client } = stage.server;
    const page = await stage.open('/settings');
    const section = page.getByRole('region', { name: en['titles.title'] });
    await section.getByText(en['titles.model']).click();
    expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0);
    expect(await page.locator('.app').evaluate((app) => app.getBoundingClientRect().top)).toBe(0);
    await expectAccessible(page, 'titles');
    await button(section, en['titles.save']).click();
    await section.getByText(en['settings.saved']).waitFor();
    expect(await client.titleModel()).toMatchObject({ model: { provider: 'simulated' } });
    await page.goto(stage.server.url);
    await composer(page).fill('Why is the sky blue? /sim title Blue skies');
    await composer(page).press('Enter');
    await page.waitForURL(/\/b\/main$/);
    await eventually(() => page.title()).toContain('Blue skies');
    await page.getByRole('link', { name: 'Blue skies' }).first().waitFor();
    await page.goto(`${stage.server.url}/diagnostics`);
    await page.getByText(en['diagnostics.purpose.title']).first().waitFor();
  });
});
