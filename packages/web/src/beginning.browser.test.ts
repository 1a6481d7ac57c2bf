import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  act,
  branchLink,
  button,
  composer,
  ended,
  eventually,
  onBranch,
  openConversation,
  openProject,
  renderedText,
  replyText,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PLAIN = { provider: 'simulated', model: 'sim-plain' };

/** Requests that wait until the test lets them go, to the server or to another answer. */
async function holdUp(
  page: Page,
  isMeant: (url: URL, method: string) => boolean,
  answer?: Parameters<Route['fulfill']>[0],
): Promise<{ readonly letGo: () => void }> {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/**', async (route) => {
    if (!isMeant(new URL(route.request().url()), route.request().method())) return route.fallback();
    await held;
    return answer === undefined ? route.continue() : route.fulfill(answer);
  });
  return { letGo };
}
const focused = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);

describe('before the first message', () => {
  it('WEB-73: another model and prompt change the branch itself, and the draft stays', async () => {
    const { page, projectId } = await openProject(stage);
    await composer(page).fill('a thought');
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title.empty'] });
    await dialog.getByLabel(en['branch.model'], { exact: false }).first().selectOption('sim-plain');
    await dialog.getByRole('textbox', { name: en['branch.systemPrompt'], exact: false }).fill('Be brief.');
    await button(dialog, en['branch.change']).click();
    await dialog.waitFor({ state: 'detached' });
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(branches.map(({ name, model, systemPrompt }) => [name, model, systemPrompt])).toEqual([
      ['main', 'sim-plain', 'Be brief.'],
    ]);
    expect(await composer(page).inputValue()).toBe('a thought');
    await eventually(() => focused(page)).toBe('composer');
  });

  it('WEB-73: a model that does not exist is reported, and nothing changes', async () => {
    const { page, projectId } = await openProject(stage);
    stage.allow(/400|404|422/);
    await page.route(/\/branches\/[^/]+$/, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      return route.fulfill({
        status: 422,
        contentType: 'application/problem+json',
        body: JSON.stringify({ status: 422, code: 'unknown_model', title: 'Unknown model', detail: 'No such model.' }),
      });
    });
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title.empty'] });
    await dialog.getByLabel(en['branch.model'], { exact: false }).first().selectOption('sim-plain');
    await button(dialog, en['branch.change']).click();
    await dialog.getByRole('alert').waitFor();
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(branches).toHaveLength(1);
  });
});

describe('the start page', () => {
  it('WEB-74: a message that is written there begins a project with the chosen model', async () => {
    const page = await stage.open('/');
    await eventually(() => focused(page)).toBe('composer');
    await composer(page).fill('/sim say hello from the start');
    await page.getByLabel(en['branch.model'], { exact: false }).first().selectOption('sim-plain');
    await button(page, en['composer.send']).click();
    await page.waitForURL(/\/p\/[^/]+\/b\/main$/);
    await ended(page, 1);
    expect(await replyText(page, 1).innerText()).toBe('hello from the start');
    expect(await composer(page).inputValue()).toBe('');
    await eventually(() => focused(page)).toBe('composer');
    const id = /\/p\/([^/]+)/.exec(page.url())?.[1] ?? '';
    const { branches } = await stage.server.client.listBranches(id);
    expect(branches.map(({ model }) => model)).toEqual(['sim-plain']);
    await page.goto(stage.server.url);
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await page.getByRole('list', { name: en['home.recent'] }).getByRole('link').first().click();
    await ended(page, 1);
  });

  it('WEB-74: an example is put into the box; what is not sent is kept', async () => {
    const page = await stage.open('/');
    await button(page, en['home.example.2']).click();
    expect(await composer(page).inputValue()).toBe(en['home.example.2']);
    await page.reload();
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).toBe(en['home.example.2']);
    await page.getByRole('link', { name: en['home.key'] }).click();
    await page.waitForURL(/\/settings#providers$/);
  });
});

describe('the keyboard focus', () => {
  it('WEB-75: is in the composer of a new project', async () => {
    const page = await stage.open('/settings');
    await button(page, en['projects.new']).click();
    await page.waitForURL(/\/b\/main$/);
    await eventually(() => focused(page)).toBe('composer');
  });

  it('WEB-75: is in the composer of a new branch, and the title names it', async () => {
    const { page } = await openConversation(stage, ['/sim say one'], { name: 'Tides' });
    await page.getByRole('button', { name: en['composer.switch'] }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('textbox', { name: en['branch.name'], exact: true }).fill('other');
    await button(dialog, en['branch.create']).click();
    await page.waitForURL(/\/b\/other$/);
    await eventually(() => focused(page)).toBe('composer');
    await eventually(() => page.title()).toBe('other · Tides · Bough');
  });

  it('WEB-75: is in the composer of the branch that the palette, or a shortcut while writing, leads to', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await stage.server.client.createBranch(projectId, { name: 'aside', fromRef: 'main' });
    await branchLink(page, 'aside').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill('aside');
    await page.getByRole('option', { name: 'aside', exact: true, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await onBranch(page, 'aside');
    await eventually(() => focused(page)).toBe('composer');
    await page.keyboard.press('Alt+ArrowUp');
    await onBranch(page, 'main');
    await eventually(() => focused(page)).toBe('composer');
    await page.keyboard.type('here');
    expect(await composer(page).inputValue()).toBe('here');
  });

  it('WEB-75: is in the composer of the branch that an edit makes', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    await act(userMessage(page, 1), en['reply.edit']);
    await page.getByRole('textbox', { name: en['edit.title'] }).fill('/sim say two');
    await button(page, en['edit.save']).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await eventually(() => focused(page)).toBe('composer');
  });

  it('WEB-75: is in the composer of the branch on which somebody asks about a passage', async () => {
    const { page } = await openConversation(stage, ['/sim say lichen']);
    await renderedText(page, 1);
    await replyText(page, 1)
      .getByText('lichen', { exact: true })
      .dblclick({ position: { x: 10, y: 10 } });
    const form = page.getByRole('form', { name: en['selection.label'] });
    await form.getByRole('textbox').fill('What is that?');
    await button(form, en['selection.ask']).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await eventually(() => focused(page)).toBe('composer');
  });
});

describe('the start page', () => {
  it('WEB-321: whoever writes elsewhere while it loads goes on writing there', async () => {
    const page = await stage.open('/settings');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/(providers|projects|presets)/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(stage.server.url);
    const box = page.getByRole('searchbox', { name: en['projects.search'] });
    await box.click();
    await page.keyboard.type('over ');
    answer();
    await page.locator('.home textarea').waitFor();
    await page.keyboard.type('there');
    expect(await box.inputValue()).toBe('over there');
    expect(await page.locator('.home textarea').inputValue()).toBe('');
  });

  it('WEB-74: nothing jumps when the models are known', async () => {
    const page = await stage.open('/settings');
    const providers = await holdUp(page, (url) => url.pathname === '/api/providers');
    await page.goto(stage.server.url);
    const examples = page.getByRole('group', { name: en['home.examples'] });
    await composer(page).fill('/sim say Early');
    const before = await examples.boundingBox();
    providers.letGo();
    await page.locator('.home select').first().waitFor();
    expect((await examples.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, -1);
    expect(await composer(page).inputValue()).toBe('/sim say Early');
  });

  it('WEB-74: one can write and send before the models are known, and the usual model answers', async () => {
    const { preset } = await stage.server.client.createPreset({ name: 'Usual', ...PLAIN, isDefault: true });
    const page = await stage.open('/settings');
    const held = await holdUp(page, (url) => /^\/api\/(providers|presets)$/.test(url.pathname));
    await page.goto(stage.server.url);
    await composer(page).fill('/sim say Early');
    await composer(page).press('Enter');
    await replyText(page, 1).getByText('Early', { exact: true }).waitFor();
    const id = /\/p\/([^/]+)/.exec(page.url())?.[1] ?? '';
    const { branches } = await stage.server.client.listBranches(id);
    expect(branches.map(({ provider, model }) => ({ provider, model }))).toEqual([PLAIN]);
    held.letGo();
    await stage.server.client.deletePreset(preset.id);
  });

  it('WEB-52: what is sent there stays on the screen until its conversation shows it', async () => {
    const page = await stage.open('/');
    await page.locator('.home select').first().waitFor();
    const made = await holdUp(page, (url, method) => method === 'POST' && url.pathname === '/api/projects');
    const sent = await holdUp(page, (url) => url.pathname.endsWith('/chat'));
    await composer(page).fill('/sim say Seen');
    await composer(page).press('Enter');
    await page.getByRole('status').getByText(en['outbox.sending']).waitFor();
    await page.keyboard.type(' and more');
    expect(await composer(page).inputValue()).toBe('/sim say Seen');
    made.letGo();
    await page.waitForURL(/\/b\/main$/);
    await page.locator('.outgoing').getByText('/sim say Seen', { exact: true }).waitFor();
    await eventually(() => focused(page)).toBe('composer');
    // The next one waits, as it does behind any other.
    await page.keyboard.type('/sim say Next');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: en['composer.queued'] }).getByText('/sim say Next').waitFor();
    sent.letGo();
    await ended(page, 2);
    expect(await replyText(page, 1).innerText()).toBe('Seen');
    expect(await replyText(page, 2).innerText()).toBe('Next');
    await page.goto(stage.server.url);
    expect(await composer(page).inputValue()).toBe('');
  });

  it('WEB-2: a first message that is refused waits in the composer of its project', async () => {
    const page = await stage.open('/');
    stage.allow(/422/);
    await page.locator('.home select').first().waitFor();
    const sent = await holdUp(page, (url) => url.pathname.endsWith('/chat'), {
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 422, code: 'unknown_model', title: 'Unknown model', detail: 'No such model.' }),
    });
    await composer(page).fill('not lost');
    await composer(page).press('Enter');
    await page.waitForURL(/\/b\/main$/);
    await page.locator('.outgoing').getByText('not lost', { exact: true }).waitFor();
    sent.letGo();
    await page.getByRole('alert').first().waitFor();
    await eventually(() => composer(page).inputValue()).toBe('not lost');
    await page.reload();
    await eventually(() => composer(page).inputValue()).toBe('not lost');
  });

  it('WEB-321: its composer has the keyboard when nobody writes elsewhere, by a link too', async () => {
    const page = await stage.open('/');
    const area = page.locator('.home textarea');
    const hasFocus = () => area.evaluate((element) => element === document.activeElement);
    await area.waitFor();
    await eventually(hasFocus).toBe(true);
    await page.getByRole('link', { name: en['settings.title'] }).click();
    await area.waitFor({ state: 'detached' });
    await page.locator('.sidebar .wordmark').click();
    await area.waitFor();
    await eventually(hasFocus).toBe(true);
  });
});

describe('an empty project', () => {
  it('WEB-772: says that a simulated model answers, and where a key is added, only while none is set', async () => {
    const { page } = await openProject(stage);
    const welcome = page.locator('.welcome');
    await welcome.getByText(en['conversation.simulated']).waitFor();
    await welcome.getByRole('link', { name: en['home.key'] }).click();
    await page.waitForURL(/\/settings#providers$/);
    const { client } = stage.server;
    await client.setProviderKey('anthropic', 'sk-ant-test-key-that-is-never-sent');
    await page.goBack();
    await welcome.getByText(en['conversation.empty.title']).waitFor();
    await page.reload();
    await page.getByRole('button', { name: en['composer.switch'] }).getByText('Thinker').waitFor();
    expect(await welcome.getByText(en['conversation.simulated']).count()).toBe(0);
    await client.deleteProviderKey('anthropic');
  });
});
