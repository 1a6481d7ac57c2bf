import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { look } from './testing/looks/index.ts';
import { button, openConversation } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const BOUND = { provider: 'simulated', model: 'sim-bound', systemPrompt: 'You are terse.' };
const GEMINI = { provider: 'simulated_gemini', model: 'sim-summary', systemPrompt: 'You are terse.' };

describe('instructions that change', () => {
  it('WEB-44: the dialog tells what either way costs, and by default nothing before changes', async () => {
    const { page } = await openConversation(stage, ['/sim say one', '/sim say two'], BOUND);
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('textbox', { name: en['branch.systemPrompt'] }).fill('Answer in verse.');
    const here = dialog.getByRole('radio', { name: en['instructions.here'] });
    const beginning = dialog.getByRole('radio', { name: en['instructions.beginning'] });
    await dialog.getByText('The reasoning of 2 replies is lost.').waitFor();
    expect(await here.isChecked()).toBe(true);
    expect(await dialog.getByText(en['instructions.price.here']).isVisible()).toBe(true);
    expect(await look(page)).toEqual([]);
    await beginning.check();
    expect(await beginning.isChecked()).toBe(true);
    await here.check();
    await button(dialog, en['branch.create']).click();
    await dialog.waitFor({ state: 'detached' });
    const note = page.locator('.instructions');
    await note.waitFor();
    expect(await note.innerText()).toContain(en['instructions.node']);
    expect(await note.innerText()).toContain('Answer in verse.');
    expect(await look(page)).toEqual([]);
  });

  it('WEB-44: a model that takes them only at the beginning says so', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], GEMINI);
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('textbox', { name: en['branch.systemPrompt'] }).fill('Answer in verse.');
    await dialog.getByText(en['instructions.refused']).waitFor();
    expect(await dialog.getByRole('radio', { name: en['instructions.beginning'] }).isChecked()).toBe(true);
    expect(await dialog.getByRole('radio', { name: en['instructions.here'] }).isDisabled()).toBe(true);
  });

  it('WEB-44: they can be added to the branch itself, from its details', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], BOUND);
    await page.getByRole('tab', { name: en['panel.details'] }).click();
    await page.getByRole('button', { name: en['instructions.change'] }).click();
    const dialog = page.getByRole('dialog', { name: en['instructions.change.title'] });
    await dialog.getByRole('textbox', { name: en['instructions.change.text'] }).fill('Answer in verse.');
    expect(await look(page)).toEqual([]);
    await button(dialog, en['instructions.change.add']).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.instructions').getByText('Answer in verse.').waitFor();
  });
});
