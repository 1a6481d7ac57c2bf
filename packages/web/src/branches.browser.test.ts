import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  act,
  actFromMenu,
  branchLink,
  button,
  composer,
  ended,
  eventually,
  onBranch,
  openConversation,
  openPanel,
  renderedText,
  replyText,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: `${en['reply.more']}: ${from}`, exact: true }).click();
  await page.getByRole('menuitem', { name: en['branches.rename'], exact: true }).click();
  const dialog = page.getByRole('dialog', { name: en['branches.rename'] });
  await dialog.getByRole('textbox').fill(to);
  await button(dialog, en['projects.rename']).click();
}

describe('branches', () => {
  it('WEB-25: an edited message goes out on a new branch; the old one stays as it was', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    await act(userMessage(page, 2), en['reply.edit']);
    await page.getByRole('textbox', { name: en['edit.title'] }).fill('/sim say changed');
    await button(page, en['edit.save']).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/b/main'));
    await replyText(page, 2).getByText('changed', { exact: true }).waitFor();
    const { branches } = await stage.server.client.listBranches(projectId);
    // The stream said which one it is.
    expect(new URL(page.url()).pathname).toBe(`/p/${projectId}/b/${encodeURIComponent(branches[1]?.name ?? '')}`);
    expect(branches).toHaveLength(2);
    await branchLink(page, 'main').click();
    await replyText(page, 2).getByText('two', { exact: true }).waitFor();
  });

  it('WEB-25: what cannot be done is told, and what was written is kept', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    stage.allow(/ERR_CONNECTION_REFUSED/);
    await page.route(/\/(edit|regenerate)$/, (route) => route.abort('connectionrefused'));
    await act(turn(page, 1).locator('.reply-footer'), en['reply.regenerate']);
    const told = page.getByRole('alert');
    await told.waitFor();
    await button(told, en['dialog.close']).click();
    await told.waitFor({ state: 'detached' });
    await act(userMessage(page, 1), en['reply.edit']);
    const draft = page.getByRole('textbox', { name: en['edit.title'] });
    await draft.fill('written with care');
    await button(page, en['edit.save']).click();
    await told.waitFor();
    expect(await draft.inputValue()).toBe('written with care');
  });

  it('WEB-6: a branch from a message starts there, with the name that was given', async () => {
    const { page } = await openConversation(stage, ['/sim say one', '/sim say two']);
    await act(turn(page, 1).locator('.reply-footer'), en['reply.branch']);
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('textbox', { name: en['branch.name'] }).fill('another way');
    await dialog.getByText(en['branch.inherited'].replace('{name}', 'main')).first().waitFor();
    await button(dialog, en['branch.create']).click();
    await onBranch(page, 'another way');
    await ended(page, 1);
    expect(await turn(page, 2).count()).toBe(0);
  });

  it('WEB-7: switching the model shows what the new one is told before anything is made, and the seam after', async () => {
    const { page } = await openConversation(stage, ['hello', 'and more']);
    await page.getByRole('button', { name: new RegExp(en['composer.switch']) }).click();
    const dialog = page.getByRole('dialog', { name: en['branch.title'] });
    await dialog.getByRole('combobox', { name: en['branch.model'] }).selectOption('sim-plain');
    const preview = dialog.getByRole('heading', { name: en['branch.preview'] });
    await preview.waitFor();
    await dialog.getByText(en['branch.becomesText'].replace('{count}', '2')).waitFor();
    await dialog.getByRole('textbox', { name: en['branch.name'] }).fill('plain');
    await button(dialog, en['branch.create']).click();
    await onBranch(page, 'plain');
    await page.getByText(en['conversation.break'].replace('{model}', 'sim-plain')).waitFor();
  });

  it('WEB-25: a regenerated reply is a sibling; the switcher goes back and forth', async () => {
    const { page } = await openConversation(stage, ['hello']);
    const first = await renderedText(page, 1);
    await act(turn(page, 1).locator('.reply-footer'), en['reply.regenerate']);
    const switcher = turn(page, 1).locator('.reply').getByRole('group', { name: '2 of 2' });
    await switcher.waitFor();
    await ended(page, 1);
    await eventually(() => renderedText(page, 1)).not.toBe(first);
    await button(switcher, en['reply.sibling.previous']).click();
    await eventually(() => renderedText(page, 1)).toBe(first);
    await turn(page, 1).locator('.reply').getByRole('group', { name: '1 of 2' }).waitFor();
  });

  it('WEB-25: the raw response of the provider can be read', async () => {
    const { page } = await openConversation(stage, ['/sim say plain words']);
    await actFromMenu(page, turn(page, 1).locator('.reply-footer'), en['reply.raw']);
    await page.getByRole('dialog', { name: en['reply.raw'] }).getByText('message_start').first().waitFor();
  });

  it('WEB-25: a message is deleted after a question, with everything below it', async () => {
    const { page } = await openConversation(stage, ['/sim say one', '/sim say two']);
    await actFromMenu(page, userMessage(page, 2), en['reply.delete']);
    await button(page.getByRole('dialog', { name: en['reply.delete'] }), 'Delete 2 messages').click();
    await turn(page, 2).waitFor({ state: 'detached' });
    await replyText(page, 1).getByText('one', { exact: true }).waitFor();
  });

  it('WEB-26: a branch that is renamed keeps its reader, its draft and its place in the address', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await composer(page).fill('half a sentence');
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').waitFor();
    await rename(page, 'main', 'trunk');
    await onBranch(page, 'trunk');
    await branchLink(page, 'trunk').waitFor();
    await replyText(page, 1).getByText('one', { exact: true }).waitFor();
    expect(await composer(page).inputValue()).toBe('half a sentence');
    await rename(page, 'side', 'aside');
    await branchLink(page, 'aside').waitFor();
    await onBranch(page, 'trunk');
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(branches.map(({ name }) => name).toSorted()).toEqual(['aside', 'trunk']);
  });

  it('WEB-26: a branch that is renamed elsewhere is followed', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await stage.server.client.updateBranch(projectId, 'main', { name: 'trunk' });
    await onBranch(page, 'trunk');
    await replyText(page, 1).getByText('one', { exact: true }).waitFor();
  });

  it('WEB-26: a name that is taken is refused, and the reader is told', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').waitFor();
    stage.allow(/409/);
    await rename(page, 'main', 'side');
    await page.getByRole('alert').getByText('side').waitFor();
    await onBranch(page, 'main');
  });

  it('WEB-774: the colour that a branch has is marked in its menu', async () => {
    const { page } = await openConversation(stage, ['/sim say one']);
    const colours = page.getByRole('menuitemradio');
    const open = async (): Promise<readonly string[]> => {
      await page.getByRole('button', { name: `${en['reply.more']}: main` }).click();
      await colours.nth(9).waitFor();
      return colours.evaluateAll((all) => all.map((each) => each.getAttribute('aria-checked') ?? ''));
    };
    expect((await open()).indexOf('true')).toBe(0);
    await colours.nth(3).click();
    await colours.first().waitFor({ state: 'detached' });
    await eventually(async () => {
      const at = (await open()).indexOf('true');
      await page.keyboard.press('Escape');
      await colours.first().waitFor({ state: 'detached' });
      return at;
    }).toBe(3);
  });

  it('WEB-26: a branch is pinned, hidden and found again', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    const { client } = stage.server;
    await client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await branchLink(page, 'side').waitFor();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: `${en['reply.more']}: side` }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await choose(en['branches.pin']);
    await eventually(
      async () => (await client.listBranches(projectId)).branches.find((each) => each.name === 'side')?.pinned,
    ).toBe(true);
    await choose(en['branches.hide']);
    await branchLink(page, 'side').waitFor({ state: 'detached' });
    await button(page, en['branches.hidden'].replace('{count}', '1')).click();
    await branchLink(page, 'side').waitFor();
  });
});

describe('the tree', () => {
  it('WEB-9: the graph shows every message; choosing one goes to it, on a branch that leads there', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const { client } = stage.server;
    const { groups } = await client.history(projectId, { ref: 'main' });
    const fork = groups[0]?.reply.at(-1)?.id ?? '';
    await client.createBranch(projectId, { name: 'side', fromRef: 'main', fromNodeId: fork });
    await (await client.chat(projectId, { ref: 'side', message: '/sim say aside' })).text();
    const panel = await openPanel(page, 'graph');
    const tree = panel.getByRole('tree', { name: en['graph.label'] });
    await eventually(() => tree.getByRole('treeitem').count()).toBe(6);
    await tree.getByRole('treeitem', { name: /^Model, side/ }).click();
    await onBranch(page, 'side');
    expect(new URL(page.url()).searchParams.get('node')).not.toBeNull();
    await replyText(page, 2).getByText('aside', { exact: true }).waitFor();
  });

  it('WEB-13: two branches stand side by side from where they part', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say common', '/sim say left end']);
    const { client } = stage.server;
    const { groups } = await client.history(projectId, { ref: 'main' });
    await client.createBranch(projectId, {
      name: 'side',
      fromRef: 'main',
      fromNodeId: groups[0]?.reply.at(-1)?.id ?? '',
    });
    await (await client.chat(projectId, { ref: 'side', message: '/sim say right end' })).text();
    await page.goto(`${stage.server.url}/p/${projectId}/compare/main/side`);
    await page.getByText(en['compare.common'].replace('{count}', '2')).waitFor();
    await page.getByRole('region', { name: 'main' }).locator('.prose').getByText('left end', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'side' })
      .locator('.prose')
      .getByText('right end', { exact: true })
      .waitFor();
    expect(await page.getByText('common', { exact: true }).count()).toBe(0);
  });

  it('WEB-9: a link to a message opens its branch at that message and marks it', async () => {
    const { page, projectId } = await openConversation(
      stage,
      Array.from({ length: 12 }, (_, at) => `/sim say answer ${at}`),
    );
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    const wanted = groups[2]?.user?.id ?? '';
    await page.goto(`${stage.server.url}/p/${projectId}/b/main?node=${wanted}`);
    await userMessage(page, 3).waitFor();
    expect(await userMessage(page, 3).getAttribute('data-highlighted')).toBe('');
    await eventually(() =>
      userMessage(page, 3).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight;
      }),
    ).toBe(true);
  });

  it('WEB-9: a link to a branch that does not exist says so', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await page.goto(`${stage.server.url}/p/${projectId}/b/nowhere`);
    await page.getByRole('alert').getByText('nowhere').waitFor();
  });
});

describe('the context panel', () => {
  it('WEB-10: shows what the next request contains, and that is what is sent', async () => {
    const { page, projectId } = await openConversation(stage, ['first question']);
    const panel = await openPanel(page, 'context');
    await panel.getByRole('heading', { name: en['context.title'] }).waitFor();
    await panel.getByRole('meter').waitFor();
    await panel.getByText(en['context.json'], { exact: true }).click();
    const request = panel
      .locator('details', { has: page.getByText(en['context.json'], { exact: true }) })
      .locator('pre');
    await request.getByText('first question').waitFor();
    await page.getByRole('textbox', { name: en['composer.label'], exact: true }).fill('second question');
    await panel.getByText(en['context.draft']).waitFor();
    await request.getByText('second question').waitFor();
    const announced: unknown = JSON.parse(await request.innerText());
    const { request: built } = await stage.server.client.context(projectId, {
      ref: 'main',
      message: 'second question',
    });
    expect(announced).toEqual(JSON.parse(built.body));
    await page.keyboard.press('Enter');
    await ended(page, 2);
    const { previousBody } = await stage.server.client.context(projectId, { ref: 'main' });
    expect(JSON.parse(previousBody ?? 'null')).toEqual(announced);
  });

  it('WEB-89: every message of the graph has its words, on every branch, without Markdown', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    const { client } = stage.server;
    const { branches } = await client.listBranches(projectId);
    await client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await client.appendMessages(branches[0]?.tipId ?? '', {
      ref: 'side',
      messages: [
        { role: 'user', content: '## A **bold** question' },
        { role: 'assistant', content: '- an `answer` elsewhere' },
      ],
    });
    await page.reload();
    await ended(page, 1);
    const panel = await openPanel(page, 'graph');
    await eventually(() => panel.locator('.graph-label').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('A bold question'),
        expect.stringMatching(/an answer elsewhere/),
      ]),
    );
    expect((await panel.locator('.graph-label').allInnerTexts()).every((text) => text.trim() !== '')).toBe(true);
    expect(await panel.locator('.graph-label').count()).toBe(await panel.getByRole('treeitem').count());
  });

  it('WEB-89: a message at which many branches end keeps room for its words; the branch that is read is named', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    for (const name of ['a', 'b', 'c', 'd'])
      await stage.server.client.createBranch(projectId, { name, fromRef: 'main' });
    await page.goto(`${stage.server.url}/p/${projectId}/b/c`);
    await ended(page, 1);
    const panel = await openPanel(page, 'graph');
    await eventually(() => panel.locator('.graph-label').last().innerText()).toBe('c, main, +3 one');
  });

  it('WEB-90: other versions of a reply can be seen without pointing at it; its footer names the model', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    await act(turn(page, 1).locator('.reply-footer'), en['reply.regenerate']);
    const versions = turn(page, 1).locator('.siblings');
    await versions.waitFor();
    // It is there while the reply is still being written.
    await turn(page, 1).locator('.reply-footer .siblings').waitFor();
    await (await stage.server.client.chat(projectId, { ref: 'main', message: '/sim say two' })).text();
    await turn(page, 2).locator('.reply-footer').waitFor();
    await page.mouse.move(0, 0);
    const opacity = (): Promise<string> =>
      versions.evaluate((element) => {
        const row = element.parentElement;
        return `${getComputedStyle(element).opacity} ${row === null ? '' : getComputedStyle(row).opacity}`;
      });
    await eventually(opacity).toBe('1 1');
    const facts = turn(page, 1).locator('.facts');
    await facts.focus();
    await page
      .getByRole('tooltip')
      .getByText(/ in · .* out/)
      .waitFor();
  });
});
