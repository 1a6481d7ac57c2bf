import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually, onBranch, openConversation, openPanel } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

describe('canvas', () => {
  it('WEB-740: a person writes the canvas, says that the model is told, sees its versions and finds it in the conversation', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.']);
    const { client } = stage.server;
    await page.goto(`${new URL(page.url()).origin}/p/${projectId}/b/main/canvas`);
    const editor = page.getByRole('textbox', { name: en['canvas.title'] });
    await editor.click();
    await page.keyboard.type('# Oaks');
    expect(await page.locator('.topbar').innerText()).toMatch(/Canvas\s+main/);
    await page.getByText(en['canvas.unsaved']).waitFor();
    await button(page, en['canvas.save']).click();
    await page.getByText(en['canvas.saved'], { exact: true }).waitFor();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nForty metres');
    await page.getByRole('checkbox', { name: en['canvas.inContext'] }).check();
    await button(page, en['canvas.save']).click();
    const read = async () => (await client.canvas(projectId, 'main')).canvas;
    await eventually(async () => (await read())?.text).toBe('# Oaks\nForty metres');
    expect(await read()).toMatchObject({ inContext: true, by: 'person' });
    // The list is read again after the version is stored; before that, the first is the older one.
    await page.locator('.canvas-versions button').nth(1).waitFor();
    await page.locator('.canvas-versions button').first().click();
    await page.locator('.canvas-version [data-kind="added"]').getByText('Forty metres').waitFor();
    await expectAccessible(page, 'the canvas with a version open');
    await page.getByRole('link', { name: en['canvas.back'] }).click();
    await page.getByRole('link', { name: en['canvas.mark.told'] }).waitFor();
    await page.getByRole('link', { name: en['canvas.mark'], exact: true }).waitFor();
    await expectAccessible(page, 'a conversation with versions of the canvas');
    const labels = (await openPanel(page, 'graph')).locator('.graph-label');
    await eventually(() => labels.filter({ hasText: en['canvas.mark'] }).count()).toBe(2);
    expect((await labels.allInnerTexts()).join('\n')).not.toContain('the document of this project');
  });

  it('WEB-742: what was written and not saved is there again after leaving the page and after a reload', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.']);
    await page.goto(`${new URL(page.url()).origin}/p/${projectId}/b/main/canvas`);
    const editor = page.getByRole('textbox', { name: en['canvas.title'] });
    await editor.click();
    await page.keyboard.type('# Oaks');
    await page.getByText(en['canvas.unsaved']).waitFor();
    await page.getByRole('link', { name: en['canvas.back'] }).click();
    await onBranch(page, 'main');
    await page.goBack();
    await editor.getByText('# Oaks').waitFor();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and elms');
    await page.reload();
    await editor.getByText('# Oaks and elms').waitFor();
    await page.getByText(en['canvas.unsaved']).waitFor();
    await button(page, en['canvas.save']).click();
    await page.getByText(en['canvas.saved'], { exact: true }).waitFor();
    const { client } = stage.server;
    expect((await client.canvas(projectId, 'main')).canvas?.text).toBe('# Oaks and elms');
    await client.writeCanvas(projectId, {
      ref: 'main',
      text: '# Firs',
      expected: (await client.canvas(projectId, 'main')).canvas?.version ?? null,
    });
    // Nothing of what was saved is left to come back.
    await page.reload();
    await editor.getByText('# Firs').waitFor();
    await page.getByText(en['canvas.saved'], { exact: true }).waitFor();
  });

  it('WEB-741: what two branches changed is shown side by side, and stored once it is chosen', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.']);
    const { client } = stage.server;
    const write = async (ref: string, text: string) =>
      client.writeCanvas(projectId, {
        ref,
        text,
        expected: (await client.canvas(projectId, ref)).canvas?.version ?? null,
      });
    await write('main', 'a\nb\nc');
    await client.createBranch(projectId, { name: 'idea', fromRef: 'main' });
    await write('main', 'a\nours\nc');
    await write('idea', 'a\ntheirs\nc');
    await page.goto(`${new URL(page.url()).origin}/p/${projectId}/b/main/canvas`);
    await page.getByLabel(en['canvas.merge.from']).selectOption('idea');
    await button(page, en['canvas.merge.do']).click();
    const conflict = page.locator('.canvas-conflict');
    await conflict.getByText('theirs', { exact: true }).waitFor();
    await expectAccessible(page, 'a conflict of the canvas');
    expect((await client.canvas(projectId, 'main')).canvas?.text).toBe('a\nours\nc');
    await conflict.getByRole('radio', { name: en['canvas.side.both'] }).check();
    await button(page, en['canvas.merge.save']).click();
    await eventually(async () => (await client.canvas(projectId, 'main')).canvas?.text).toBe('a\nours\ntheirs\nc');
    const editor = page.getByRole('textbox', { name: en['canvas.title'] });
    await editor.getByText('theirs').waitFor();
    await page.getByText(en['canvas.merge.done'].replace('{branch}', 'idea')).waitFor();
    const version = async () => (await client.canvas(projectId, 'main')).canvas?.version;
    const merged = await version();
    const bring = button(page, en['canvas.merge.do']);
    await page.getByLabel(en['canvas.merge.from']).selectOption('idea');
    await bring.click();
    await page.getByText(en['canvas.merge.nothing'].replace('{branch}', 'idea')).waitFor();
    expect(await version()).toBe(merged);
    // What is written and not saved would stand against the version that comes of a merge.
    await page.getByLabel(en['canvas.merge.from']).selectOption('idea');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and d');
    await page.getByText(en['canvas.merge.unsaved']).waitFor();
    expect(await bring.isDisabled()).toBe(true);
    await button(page, en['canvas.save']).click();
    await page.getByText(en['canvas.saved'], { exact: true }).waitFor();
    expect(await bring.isDisabled()).toBe(false);
  });
});
