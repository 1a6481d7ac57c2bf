import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, ended, eventually, openProject, send } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

describe('choosing what the provider runs', () => {
  it('WEB-157: is in the menu of the tools, for the model of the branch, and counts for the next message', async () => {
    const { page, projectId } = await openProject(stage, { provider: 'simulated', thinking: 'off' });
    const provided = async () => (await stage.server.client.listBranches(projectId)).branches[0]?.providerTools;
    await page.getByRole('button', { name: en['composer.tools'] }).click();
    const item = page.getByRole('menuitemcheckbox', { name: en['providerTools.web_search'] });
    await item.waitFor();
    await item.click();
    await eventually(provided).toEqual([{ tool: 'web_search' }]);
    await page.keyboard.press('Escape');
    await send(page, 'How old do oaks become?');
    await ended(page, 1);
    await page.locator('.provider-tool summary', { hasText: en['provider.web_search'] }).first().waitFor();
    await expectAccessible(page, 'a reply that searched');
  });

  it('WEB-157: its settings are in a dialog, and what they lack is not saved', async () => {
    const { page, projectId } = await openProject(stage, { provider: 'simulated', thinking: 'off' });
    await page.getByRole('button', { name: en['composer.tools'] }).click();
    await page.getByRole('menuitem', { name: en['providerTools.setUp'] }).click();
    const dialog = page.getByRole('dialog', { name: en['providerTools.title'] });
    await dialog.getByRole('checkbox', { name: en['providerTools.web_search'] }).check();
    await dialog.getByLabel(en['providerTools.field.allowedDomains']).fill('trees.example, elms.example');
    await dialog.getByLabel(en['providerTools.field.maxUses']).fill('3');
    await expectAccessible(page, 'the settings of tools');
    await button(page, en['providerTools.save']).click();
    await dialog.waitFor({ state: 'hidden' });
    const [branch] = (await stage.server.client.listBranches(projectId)).branches;
    expect(branch?.providerTools).toEqual([
      { tool: 'web_search', settings: { allowedDomains: ['trees.example', 'elms.example'], maxUses: 3 } },
    ]);
  });
});
